"""Renders the history of a state as a table."""

from __future__ import annotations

from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal
from statefmt.store.local.history import History
from statefmt.store.protocol import HistoryEntry

_SECONDS = len("2026-01-01T00:00:00")


def history_text(history: History, terminal: Terminal, *, changed: bool | None) -> str:
    """Render the edits of a history that is not empty, newest first; `changed` if the state has changed since."""
    rows = [
        (str(entry.number), _time(entry.time), printable(entry.user), _command(entry))
        for entry in reversed(history.entries)
    ]
    edits = table(["edit", "time", "user", "command"], rows, terminal, right="r")
    last = history.entries[-1].number
    return f"{edits}\n\nSomething else has changed the state since edit {last}." if changed else edits


def _command(entry: HistoryEntry) -> str:
    """Return the command, and how many states it edited."""
    command = printable(entry.command)
    return f"{command} ({len(entry.joint.states)} states)" if entry.joint else command


def _time(text: str) -> str:
    """Format a time to the second."""
    return printable(text[:_SECONDS].replace("T", " ") + "Z")
