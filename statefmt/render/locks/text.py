"""Renders locks as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Final

from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal
from statefmt.store.lock_info import LockInfo
from statefmt.store.managed import LockState, LockStatus

STATUSES: Final = {
    LockStatus.FREE: "not locked",
    LockStatus.HELD: "locked",
    LockStatus.LEFT: "not locked; a process that ended left its lock information behind",
    LockStatus.UNKNOWN: "not known: this backend cannot be asked who holds a lock",
    LockStatus.NONE: "never locked: the backend is not set up to lock",
}


def locks_text(states: Iterable[LockState], terminal: Terminal) -> str:
    """Render the status of each state, and below it who holds the lock."""
    lines: list[str] = []
    for state in states:
        lines.append(f"{terminal.paint(printable(state.name), 'bold')}: {STATUSES[state.status]}{_process(state)}")
        if state.holder is not None:
            lines.append(holder_text(state.holder))
    return "\n".join(lines)


def holder_text(holder: LockInfo) -> str:
    """Render all that the holder wrote, a line each, as OpenTofu does."""
    named = [(one.name, str(getattr(holder, one.name))) for one in fields(holder)]
    width = max(len(name) for name, _ in named)
    return "\n".join(f"  {name:{width}}  {printable(value)}" for name, value in named if value)


def _process(state: LockState) -> str:
    return f" by process {state.process}" if state.process else ""
