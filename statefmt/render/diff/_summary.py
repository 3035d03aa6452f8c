"""A comparison in one line: `2 added, 1 moved`."""

from __future__ import annotations

from typing import Final

from statefmt.analysis.diff import SnapshotDiff
from statefmt.render.counted import counted
from statefmt.render.printable import printable

NOTHING: Final = "no differences"


def summary(changes: SnapshotDiff) -> str:
    """How many instances had something happen to them, and what else differs."""
    counts = {
        "added": changes.added, "removed": changes.removed, "changed": changes.changed, "moved": changes.moved,
        "rebound": changes.rebound,
    }  # fmt: skip
    parts = [f"{len(found):,} {word}" for word, found in counts.items() if found]
    others = ((len(changes.resources), "resource block"), (len(changes.outputs), "output"))
    parts += [counted(number, noun) for number, noun in others if number]
    parts += ["check results"] if changes.check_results else []
    parts += [printable(change.name) for change in changes.envelope]
    if not parts and changes.followed:
        return followed_text(changes)
    return ", ".join(parts)


def followed_text(changes: SnapshotDiff) -> str:
    """What is told of dependencies that do no more than follow."""
    count = counted(len(changes.followed), "instance")
    return f"dependencies of {count} only follow moves and removals, or stand in another order"
