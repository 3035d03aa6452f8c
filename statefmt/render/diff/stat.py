"""Prints a comparison counted by resource."""

from __future__ import annotations

from collections import Counter
from typing import Final

from statefmt.analysis.diff.model import InstanceChange, SnapshotDiff
from statefmt.model.addrs import AbsResource
from statefmt.render.diff.summary import NOTHING, summary
from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal

_COLUMNS: Final = ("added", "removed", "changed", "moved", "rebound")


def diff_stat(changes: SnapshotDiff, terminal: Terminal) -> str:
    """Return a table of the resources in list order (new address, or old if removed), and the summary."""
    if not changes:
        return NOTHING
    counts: dict[AbsResource, Counter[str]] = {}
    for change in changes.instances:
        counts.setdefault(change.addr.containing_resource(), Counter()).update(_happened(change))
    total = terminal.paint(summary(changes), "bold")
    if not counts:
        return total
    columns = [column for column in _COLUMNS if any(found[column] for found in counts.values())]
    rows = [
        (printable(str(addr)), *(f"{found[column]:,}" if found[column] else "" for column in columns))
        for addr, found in counts.items()
    ]
    headings = ("resource", *columns)
    return f"{table(headings, rows, terminal, right='l' + 'r' * len(columns))}\n\n{total}"


def _happened(change: InstanceChange) -> list[str]:
    """Return the columns that count a change."""
    if change.old is None or change.new is None:
        return ["added" if change.old is None else "removed"]
    found = {"changed": change.is_changed, "moved": change.is_moved, "rebound": bool(change.rebound)}
    return [column for column, is_so in found.items() if is_so]
