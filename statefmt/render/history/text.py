"""Renders the history of a state as a table."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal
from statefmt.store.local.history import History
from statefmt.store.protocol import HistoryEntry

_SECONDS = len("2026-01-01T00:00:00")


def history_text(history: History, terminal: Terminal, *, changed: bool | None, state: str) -> str:
    """Render the edits of a history that is not empty, newest first; `changed` if the state has changed since.

    `state` is its real path, or its URL.
    """
    rows = [
        (str(entry.number), _time(entry.time), printable(entry.user), _command(entry))
        for entry in reversed(history.entries)
    ]
    edits = table(["edit", "time", "user", "command"], rows, terminal, right="r")
    edits += "".join(_together(history, state))
    last = history.entries[-1].number
    return f"{edits}\n\nSomething else has changed the state since edit {last}." if changed else edits


def _command(entry: HistoryEntry) -> str:
    """Return the command, and how many states it edited."""
    command = printable(entry.command)
    return f"{command} ({len(entry.joint.written)} states)" if entry.joint else command


def _together(history: History, state: str) -> Iterator[str]:
    """Yield the states that edits changed together with this one."""
    edits: dict[tuple[str, ...], list[int]] = {}
    for entry in reversed(history.entries):
        if entry.joint:
            others = tuple(name for name in entry.joint.written if name != printable(state))
            edits.setdefault(others, []).append(entry.number)
    for others, numbers in edits.items():
        which = f"edit {numbers[0]}" if len(numbers) == 1 else f"edits {', '.join(map(str, numbers))}"
        listed = "\n".join(f"  {printable(name)}" for name in others)
        yield f"\n\nEdited together with this state in {which}:\n{listed}"


def _time(text: str) -> str:
    """Format a time to the second."""
    return printable(text[:_SECONDS].replace("T", " ") + "Z")
