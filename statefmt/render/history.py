"""Prints the history of a state, and the files that a pruning deletes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import to_builtins

from statefmt.render.json_output import document
from statefmt.render.table import table
from statefmt.render.terminal import Terminal, size_text, time_text
from statefmt.store.local.history import History
from statefmt.store.protocol import HistoryEntry
from statefmt.text import printable

if TYPE_CHECKING:
    # Only pruning needs it.
    from statefmt.store.local.pruning import Pruning


def history_text(history: History, terminal: Terminal, *, changed: bool | None, state: str) -> str:
    """Render the edits of a history that is not empty, newest first; `changed` if the state has changed since.

    `state` is its real path, or its URL.
    """
    rows = [
        (str(entry.number), time_text(entry.time), printable(entry.user), _command(entry))
        for entry in reversed(history.entries)
    ]
    edits = table(["edit", "time", "user", "command"], rows, terminal, right="r")
    edits += "".join(_together(history, state))
    last = history.entries[-1].number
    return f"{edits}\n\nSomething else has changed the state since edit {last}." if changed else edits


def _command(entry: HistoryEntry) -> str:
    command = printable(entry.command)
    return f"{command} ({len(entry.joint.written)} states)" if entry.joint else command


def _together(history: History, state: str) -> Iterator[str]:
    """Yield the other states that edits of this state changed, too."""
    edits: dict[tuple[str, ...], list[int]] = {}
    for entry in reversed(history.entries):
        if entry.joint:
            others = tuple(name for name in entry.joint.written if name != printable(state))
            edits.setdefault(others, []).append(entry.number)
    for others, numbers in edits.items():
        which = f"edit {numbers[0]}" if len(numbers) == 1 else f"edits {', '.join(map(str, numbers))}"
        listed = "\n".join(f"  {printable(name)}" for name in others)
        yield f"\n\nEdited together with this state in {which}:\n{listed}"


def history_json(history: History, *, changed: bool | None) -> bytes:
    """Render a history, newest edit first (schema: `history-output.schema.json`); `changed` is None if unknown."""
    edits = [to_builtins(entry) for entry in reversed(history.entries)]
    return document(keep=history.keep, changed_since=changed, edits=edits)


_MOST_NAMED: Final = 5


def pruning_text(pruning: Pruning, terminal: Terminal) -> str:
    """Render the files to delete, then the remaining backups with statetool's naming scheme."""
    lines = [f"delete {printable(str(file.path))} ({size_text(file.size)})" for file in pruning.backups]
    if pruning.edits or pruning.contents:
        lines.append(f"delete {_edits(pruning)} from the history")
    if pruning.changed:
        lines.append(terminal.wrap(f"keep {_names(pruning.changed)}: changed since the edit", "", "  "))
    if pruning.unrecorded:
        lines.append(terminal.wrap(f"keep {_names(pruning.unrecorded)}: not recorded in the history", "", "  "))
    return "\n".join([*lines, "", terminal.paint(pruned_summary(pruning), "bold")]).lstrip("\n")


def pruned_summary(pruning: Pruning) -> str:
    """Summarize a pruning: `2 edits and 2 backups; 24.6 kB freed`."""
    if not pruning.deletes:
        return "nothing to delete"
    counts = ((len(pruning.edits), "edit"), (len(pruning.backups), "backup"))
    deleted = " and ".join(_count(number, what) for number, what in counts if number) or "leftover contents"
    return f"{deleted}; {size_text(pruning.freed)} freed"


def _edits(pruning: Pruning) -> str:
    if not pruning.edits:
        return "leftover contents"
    first, last = pruning.edits[0].number, pruning.edits[-1].number
    return f"edit {first}" if first == last else f"edits {first} to {last}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _names(paths: Sequence[Path]) -> str:
    named = ", ".join(str(path) for path in paths[:_MOST_NAMED])
    return f"{named} and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else named
