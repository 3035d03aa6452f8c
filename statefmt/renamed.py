"""Keeps renamed public names working for a while."""

from __future__ import annotations

import warnings
from collections.abc import Mapping


def current_name(module: str, name: str, renamed: Mapping[str, str]) -> str:
    """Return the name that something of a module has now: `renamed[name]`, or `name` if it was not renamed.

    For an old name, warns with a DeprecationWarning that gives the new one. To be called by `__getattr__` of the
    module, so that the warning is for the line that uses the name.
    """
    if name not in renamed:
        return name
    new = renamed[name]
    warnings.warn(f"{module}.{name} has been renamed; use {module}.{new}", DeprecationWarning, stacklevel=3)
    return new
