"""Summarises a comparison in one line: `2 added, 1 moved`."""

from __future__ import annotations

from typing import Final

from statefmt.analysis.diff import EnvelopeChange, SnapshotDiff
from statefmt.render.counted import counted
from statefmt.render.printable import printable

NOTHING: Final = "no differences"


def summary(changes: SnapshotDiff) -> str:
    """Return how many instances changed, and what else differs."""
    counts = {
        "added": changes.added, "removed": changes.removed, "changed": changes.changed, "moved": changes.moved,
        "rebound": changes.rebound,
    }  # fmt: skip
    parts = [f"{len(found):,} {word}" for word, found in counts.items() if found]
    others = ((len(changes.resources), "resource block"), (len(changes.outputs), "output"))
    parts += [counted(number, noun) for number, noun in others if number]
    parts += ["check results"] if changes.check_results else []
    envelope = [_member_text(change) for change in changes.envelope]
    if not parts and not envelope and changes.followed:
        return followed_text(changes)
    return "; ".join(filter(None, [", ".join(parts), ", ".join(envelope)]))


def _member_text(change: EnvelopeChange) -> str:
    """Return the name of a member of the state, with both serials if it is the serial."""
    if change.name == "serial" and change.old is not None and change.new is not None:
        return f"serial {change.old.decode()} → {change.new.decode()}"
    return printable(change.title)


def followed_text(changes: SnapshotDiff) -> str:
    """Return the note about dependencies that only follow other changes."""
    count = counted(len(changes.followed), "instance")
    return f"dependencies updated in {count} (moves, removals or reordering only)"
