"""The public modules beside `statefmt` itself: the examples in their docstrings, and the names that they offer."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Final

import pytest

import statefmt
from tests.tables import each_row

_ROOT: Final = Path(__file__).resolve().parents[2]
# The modules that `import statefmt` offers; `addrs` has its own tests.
MODULES: Final = sorted(
    name for name in dir(statefmt) if name not in ("addrs",) and isinstance(getattr(statefmt, name), ModuleType)
)

# What several layers share, and no program needs.
_INTERNAL: Final = frozenset({
    "context", "golang", "installation", "pairing", "pieces", "processes", "schema_problems", "sealed", "text",
    "version"
})  # fmt: skip


def module(name: str) -> ModuleType:
    return importlib.import_module(f"statefmt.{name}")


def test_every_module_beside_the_packages_is_offered() -> None:
    files = {one.name for one in pkgutil.iter_modules(statefmt.__path__) if not one.ispkg and one.name[0] != "_"}
    assert files - _INTERNAL == {*MODULES, "addrs"}


@pytest.mark.parametrize("name", MODULES)
def test_the_example_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_ROOT)
    result = doctest.testmod(module(name))
    assert (result.failed, result.attempted > 0) == (0, True)


@each_row("name", MODULES)
def test_every_name_that_is_offered_is_there_and_described(name: str) -> None:
    there = module(name)
    offered = [getattr(there, one) for one in there.__all__]
    assert [one for one in there.__all__ if one not in dir(there)] == []
    described = [one for one in offered if isinstance(one, (type, FunctionType))]
    assert described
    assert [one for one in described if not one.__doc__] == []


@each_row("name", MODULES)
def test_a_name_that_is_not_there(name: str) -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        getattr(module(name), "nothing_like_it")  # noqa: B009 - mypy would refuse the attribute
