"""Shows a lock, in text that somebody else may have written."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from statefmt.store.lock_info import LockInfo
from statefmt.text.printable import printable

# The order of OpenTofu's "Lock Info:". Source: OpenTofu `internal/states/statemgr/locker.go` (LockInfo.String).
_ORDER: Final = ("ID", "Path", "Operation", "Who", "Version", "Created", "Info")
_WIDTH: Final = max(map(len, _ORDER)) + 2
# In characters. Nothing limits what a holder says.
_LONGEST: Final = 300


def lock_lines(info: LockInfo) -> str:
    """Return what the holder of a lock wrote, as OpenTofu shows it: each member on its line, without empty ones."""
    assert {field.name for field in fields(info)} == set(_ORDER)
    members = ((name, _shown(getattr(info, name))) for name in _ORDER)
    return "\n".join(f"  {name + ':':<{_WIDTH}}{value}" for name, value in members if value)


def _shown(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
