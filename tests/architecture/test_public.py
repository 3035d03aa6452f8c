"""The command line may import the public library, and nothing else but `render`."""

from __future__ import annotations

import pkgutil
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import statefmt

_PROJECT: Final = Path(__file__).resolve().parents[2] / "pyproject.toml"
# The public packages, of which only the front door is public, and what is above the library.
_FRONT_DOORS: Final = {"configuration", "encryption", "fleet"}
_ABOVE: Final = {"__main__", "cli", "render"}


def contract() -> dict[str, Any]:
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    return next(one for one in contracts if one["name"] == "the command line uses the library")


def test_all_that_is_not_public_is_forbidden() -> None:
    forbidden = {name.removeprefix("statefmt.") for name in contract()["forbidden_modules"]}
    public = {name for name in dir(statefmt) if isinstance(getattr(statefmt, name), ModuleType)}
    there = {one.name for one in pkgutil.iter_modules(statefmt.__path__)}
    assert forbidden == {f"{name}.*" for name in _FRONT_DOORS} | there - public - _FRONT_DOORS - _ABOVE


def test_every_exception_has_a_reason() -> None:
    """Exceptions stand in groups: a comment, and the imports that it explains."""
    text = _PROJECT.read_text(encoding="utf-8")
    start = text.index("ignore_imports = [", text.index(f'name = "{contract()["name"]}"'))
    groups = text[start : text.index("\n]", start)].removeprefix("ignore_imports = [\n").split("\n\n")
    assert [group for group in groups if not group.strip().startswith("# ")] == []
    assert sum(group.count(" -> ") for group in groups) == len(contract()["ignore_imports"])
