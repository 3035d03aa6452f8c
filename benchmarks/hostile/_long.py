"""Names, keys and paths that are very long."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile._parts import AWS, Hostile, instance, keyed, many, resource, state

# As long as some adversary would make a name.
_LONG: Final = 60_000


def long_names(size: int) -> bytes:
    """Resources with names of 60 kB."""
    return state(many(size, lambda n: resource(instance(), f"{_long(size)}{n}")))


def long_dependencies(size: int) -> bytes:
    """A resource with a name of 60 kB, and many that depend on it, or on others that are not there."""
    name = f"t.{_long(size)}"
    other = [f"{name}0", f"{name}{'x' * 9}"]
    return state(
        many(
            size,
            lambda n: resource(instance(dependencies=other if n else []), f"{_long(size)}{n}" if n < 2 else f"r{n}"),
        )
    )


def long_keys(size: int) -> bytes:
    """Instances with keys of 60 kB, in which every sign needs an escape."""
    return state(resource(many(size, lambda n: keyed('"\\${' * (len(_long(size)) // 4) + str(n)))))


def long_modules(size: int) -> bytes:
    """Resources in modules thousands deep."""
    path = ".".join(["module.m"] * (len(_long(size)) // 8))
    return state(many(size, lambda n: resource(instance(dependencies=[f"{path}.t.r0"]), f"r{n}", module=path)))


def long_providers(size: int) -> bytes:
    """Provider configurations with aliases of 60 kB."""
    alias = f"{AWS}.{_long(size)}"
    return state(many(size, lambda n: resource(instance(), f"r{n}", provider=f"{alias}{n % 3}")))


def _long(size: int) -> str:
    """A name of 60 kB, or an eighth of a smaller size."""
    return "n" * min(_LONG, size // 8)


SHAPES: Final[tuple[Hostile, ...]] = (long_names, long_dependencies, long_keys, long_modules, long_providers)
