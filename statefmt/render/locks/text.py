"""Renders locks as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal
from statefmt.store.local.locks import ending_command
from statefmt.store.protocol import LockState, LockStatus, lock_lines

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
        lines.append(f"{terminal.paint(printable(state.name), 'bold')}: {_status(state)}")
        if state.holder is not None:
            lines.append(lock_lines(state.holder))
        if state.change is not None:
            finish, take_back = (ending_command(state.change.ending, option) for option in ("--resume", "--abort"))
            lines.append(terminal.wrap(f"{finish} finishes the change, and {take_back} takes it back", "  "))
    return "\n".join(lines)


def _status(state: LockState) -> str:
    if state.change is not None and not state.process:
        return "locked until a change of several states has ended"
    return STATUSES[state.status] + (f" by process {state.process}" if state.process else "")
