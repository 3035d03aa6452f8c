"""Imports the names of a public module when they are first used, so that programs pay only for what they use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from statefmt._arguments import checked, is_checkable

# As in statefmt/__init__.py: not imported from typing, which takes longer than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def lazy_names(module: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names are at home elsewhere.

    `homes` maps each name to its module, and to `module:name` if it has another name there.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, _, other = homes[name].partition(":")
        found = getattr(import_module(home), other or name)
        return checked(found, name) if is_checkable(found) else found

    return get
