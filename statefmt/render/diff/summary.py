"""Summarises a comparison in one line: `2 added, 1 moved`."""

from __future__ import annotations

from collections import Counter
from typing import Final

from statefmt.analysis.diff.model import EnvelopeChange, SnapshotDiff
from statefmt.analysis.diff.passages import NO_PASSAGES, Passages
from statefmt.render.counted import counted
from statefmt.render.printable import printable

NOTHING: Final = "no differences"


def summary(changes: SnapshotDiff, across: Passages = NO_PASSAGES) -> str:
    """Return how many instances changed, and what else differs; `across` is what went between states."""
    counts = {
        "added": len(changes.added) - len(across.received),
        "removed": len(changes.removed) - len(across.sent),
        "changed": len(changes.changed),
        "moved": len(changes.moved),
        "rebound": len(changes.rebound),
    }
    for way, sides in (("to", across.sent), ("from", across.received)):
        counts |= Counter(f"moved {way} {printable(one.other)}" for one in sides.values())
    parts = [f"{count:,} {word}" for word, count in counts.items() if count]
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
