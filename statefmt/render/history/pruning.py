"""Renders what a pruning of the history deletes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from statefmt.render.counted import size_text
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal

if TYPE_CHECKING:
    # Only a pruning needs it.
    from statefmt.store.local.pruning import Pruning

_MOST_NAMED: Final = 5


def pruning_text(pruning: Pruning, terminal: Terminal) -> str:
    """Render the files to delete, then the backups that stay although they look like ours."""
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
