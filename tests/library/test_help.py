"""`help(statefmt)` shows what is public."""

from __future__ import annotations

import inspect
import subprocess
import sys
from functools import cache

import pytest

import statefmt

# A module, which is listed by its name, and a string, which is listed by its value.
_WITHOUT_DOCSTRING = {"addrs": "statefmt.addrs", "__version__": f"VERSION\n    {statefmt.__version__}\n"}


@cache
def _help(module: str) -> str:
    """What `help()` prints in a program that has used nothing of a module yet."""
    command = [sys.executable, "-c", f"import {module}; help({module})"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", statefmt.__all__)
def test_it_shows_each_public_name(name: str) -> None:
    if name in _WITHOUT_DOCSTRING:
        assert _WITHOUT_DOCSTRING[name] in _help("statefmt")
        return
    value = getattr(statefmt, name)
    docstring = inspect.getdoc(value)
    assert docstring, name
    head = rf"    class {name}(" if inspect.isclass(value) else f"\n    {name}("
    after = _help("statefmt").partition(head)[2].partition("\n\n    class ")[0]
    assert docstring.splitlines()[0] in after.partition("Method resolution order")[0]


def test_it_says_what_is_public() -> None:
    begin = _help("statefmt").partition("PACKAGE CONTENTS")[0]
    assert "__all__" in begin
    assert "statefmt.addrs " in begin
    assert "statefmt.testing " in begin


@pytest.mark.parametrize("module", ["statefmt.addrs", "statefmt.testing", "statefmt.testing.strategies"])
def test_it_shows_the_names_of_public_modules(module: str) -> None:
    names = __import__(module, fromlist=["__all__"]).__all__
    shown = _help(module)
    assert [name for name in names if f"    {name}" not in shown and f"class {name}" not in shown] == []
