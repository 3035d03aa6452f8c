"""Renders locks as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal
from statefmt.store.lock_text import lock_lines
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
            lines.append(lock_lines(state.holder))
    return "\n".join(lines)


def _process(state: LockState) -> str:
    return f" by process {state.process}" if state.process else ""
