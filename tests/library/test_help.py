"""`help(statefmt)` shows what is public."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from functools import cache
from types import ModuleType

import pytest

import statefmt
from tests.tables import each_row


@cache
def _help(module: str) -> str:
    """What `help()` prints in a program that has used nothing of a module yet."""
    command = [sys.executable, "-c", f"import {module}; help({module})"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@each_row("name", dir(statefmt))
def test_it_shows_each_public_name(name: str) -> None:
    value = getattr(statefmt, name)
    docstring = (inspect.getdoc(value) or "").split("\n")[0]
    assert docstring, name
    if isinstance(value, ModuleType):
        assert re.search(rf"\b{name}\b", _begin())
        assert docstring in _help(f"statefmt.{name}")
    elif name == "__version__":
        assert f"VERSION\n    {value}\n" in _help("statefmt")
    elif inspect.isclass(value) or inspect.isfunction(value):
        head = f"\n    class {name}(" if inspect.isclass(value) else f"\n    {name}("
        after = _help("statefmt").partition(head)[2].partition("\n\n    class ")[0]
        assert docstring in after.partition("Method resolution order")[0]
    else:
        assert f"\n    {name} = " in _help("statefmt").partition("\nDATA")[2]


def _begin() -> str:
    """The docstring in what `help()` prints."""
    return _help("statefmt").partition("PACKAGE CONTENTS")[0]


def test_it_says_what_is_public() -> None:
    assert all(name in _begin() for name in ("__all__", "statefmt.addrs", "statefmt.testing"))


@pytest.mark.parametrize("module", ["statefmt.addrs", "statefmt.testing", "statefmt.testing.strategies"])
def test_it_shows_the_names_of_public_modules(module: str) -> None:
    names = __import__(module, fromlist=["__all__"]).__all__
    shown = _help(module)
    assert [name for name in names if f"    {name}" not in shown and f"class {name}" not in shown] == []
