"""Formats 1 to 3 are read, checked and upgraded in time linear in the bytes, however a state is made."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from statefmt.formats.reading import inspect
from statefmt.formats.versions.structure import upgrade_problems
from statefmt.lint.check import check
from tests.instructions import instructions
from tests.tables import each_row

_SIZES: Final = (40, 80, 160)
# Twice the work for twice the size, and some tolerance.
_HIGHEST_STEP: Final = 2.6
_PRIMARY: Final = {"id": "x", "attributes": {"id": "x"}}


def _state(*modules: dict[str, Any], version: int = 3) -> bytes:
    return json.dumps({"version": version, "modules": modules}).encode()


def _module(resources: dict[str, Any] | None = None, *path: str, **members: Any) -> dict[str, Any]:
    return {"path": ["root", *path], "resources": resources or {}, **members}


def _one(**members: Any) -> dict[str, Any]:
    """The only resource of a module."""
    return _module({"t.a": {"type": "t", **members}})


def _plain(number: int, **members: Any) -> dict[str, Any]:
    return {f"t.r{place}": {"primary": _PRIMARY, **members} for place in range(number)}


_SHAPES: Final[dict[str, Callable[[int], bytes]]] = {
    "resources of one module": lambda n: _state(_module(_plain(n))),
    "modules": lambda n: _state(*[_module(_plain(1), f"m{place}") for place in range(n)]),
    "one module again and again": lambda n: _state(*[_module(_plain(1), "m") for _ in range(n)]),
    "a deep module": lambda n: _state(_module(_plain(n), *["m"] * n)),
    "instances": lambda n: _state(_module({f"t.a.{place}": {"primary": _PRIMARY} for place in range(n)})),
    "one instance in many words": lambda n: _state(
        _module({f"t.a.{'0' * place}7": {"primary": _PRIMARY} for place in range(min(n, 70))})
    ),
    "dependencies by short names": lambda n: _state(
        _module(_plain(n, depends_on=[f"t.r{place}" for place in range(10)]), depends_on=[f"t.r{n}"] * n)
    ),
    "many dependencies": lambda n: _state(_one(depends_on=[f"t.r{place}" for place in range(n)], primary=_PRIMARY)),
    "providers": lambda n: _state(
        _module({f"t.a.{place}": {"primary": _PRIMARY, "provider": f"provider.p{place}"} for place in range(n)})
    ),
    "bad providers": lambda n: _state(
        _module(
            _plain(1, provider="p") | {f"t.r0.{place}": {"primary": _PRIMARY, "provider": "?"} for place in range(n)}
        )
    ),
    "deposed objects": lambda n: _state(_one(primary=_PRIMARY, deposed=[_PRIMARY] * n)),
    "metadata": lambda n: _state(_one(primary={"id": "x", "meta": {f"m{place}": place for place in range(n)}})),
    "unknown members": lambda n: _state(_module(_plain(n, new=1), **{f"new_{place}": 1 for place in range(n)})),
    "outputs": lambda n: _state(_module(outputs={f"o{place}": {"type": "string", "value": "x"} for place in range(n)})),
    "counts": lambda n: _state(_one(primary=_counted(n)), version=2),
    "counts in counts": lambda n: _state(
        _one(primary={"id": "x", "attributes": {"a." * place + "#": "1" for place in range(1, n)}}), version=2
    ),
    "of format 1": lambda n: _state(_module(_plain(n)), _one(primary=_counted(n)), version=1),
}


def _counted(number: int) -> dict[str, Any]:
    """An object with many sets and maps."""
    counts = {f"s{place}.#": "1" for place in range(number)} | {f"s{place}.x": "1" for place in range(0, number, 2)}
    return {"id": "x", "attributes": counts}


@each_row("shape", _SHAPES, sample=5)
def test_linear(shape: str) -> None:
    counts = [_work(_SHAPES[shape](number)) for number in _SIZES]
    first, second = counts[1] - counts[0], counts[2] - counts[1]
    assert second < _HIGHEST_STEP * max(first, 1), counts


def _work(data: bytes) -> int:
    """The number of instructions that reading, checking and a look at what cannot be upgraded run."""
    version = inspect(data).version
    assert version is not None

    def all_of_them() -> None:
        check(data)
        list(upgrade_problems(data, version))

    return instructions(all_of_them)


def _deep(modules: int, objects: int) -> bytes:
    deposed = {"t.a": {"primary": _PRIMARY, "deposed": [_PRIMARY] * (objects - 1)}}
    return _state(_module(deposed, *["m" * 1000] * modules))


def test_objects_in_a_module_too_deep_to_repeat_its_path() -> None:
    # Their addresses would have 20 million characters.
    found = inspect(_deep(modules=201, objects=100)).findings[0]
    assert found.code == "STA005"
    assert found.pointer == "/modules/0/path"
    assert "a module is 201 modules deep, too deep for so many objects" in found.detail


def test_few_objects_in_a_deep_module_and_many_in_one_that_is_not() -> None:
    assert inspect(_deep(modules=201, objects=80)).snapshot is not None
    assert inspect(_deep(modules=200, objects=100)).snapshot is not None
