"""States of format 3."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile._parts import Hostile, many


def format_3_instances(size: int) -> bytes:
    """Format 3: many instances of one resource, with dependencies and deposed objects."""
    return _format_3(
        many(
            size,
            lambda n: (
                f'"t.a.{n}":{{"type":"t","depends_on":["t.a.{n + 1}","t.a.*"],'
                f'"primary":{{"id":"x{n}","attributes":{{"id":"x{n}"}}}},"deposed":[{{"id":"y{n}"}}],"provider":"provider.aws"}}'
            ),
        )
    )


def format_3_flat(size: int) -> bytes:
    """Format 3: one instance with deep flat attributes and lists whose counts are wrong."""
    flat = many(size, lambda n: f'"l.{n}":"x","m.{n}.#":"{n}","m.{n}.s.{n * 7919}.t.%":"1"')
    return _format_3(f'"t.a":{{"type":"t","primary":{{"id":"x","attributes":{{"id":"x","l.#":"9",{flat}}}}}}}')


def format_3_modules(size: int) -> bytes:
    """Format 3: modules that each depend on the next."""
    resources = '{"t.a":{"type":"t","primary":{"id":"x"}}}'
    modules = many(
        size,
        lambda n: (
            f'{{"path":["root","m{n}"],"depends_on":["module.m{n + 1}"],'
            f'"outputs":{{"o":{{"sensitive":false,"type":"string","value":"x"}}}},'
            f'"resources":{resources}}}'
        ),
    )
    return _format_3("", f",{modules}")


def _format_3(resources: str, modules: str = "") -> bytes:
    head = '"version":3,"terraform_version":"0.11.14","serial":3,"lineage":"l"'
    return f'{{{head},"modules":[{{"path":["root"],"outputs":{{}},"resources":{{{resources}}}}}{modules}]}}\n'.encode()


SHAPES: Final[tuple[Hostile, ...]] = (format_3_instances, format_3_flat, format_3_modules)
