"""Renders the differences between two states as a page, for a review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.library.state import State
from statefmt.render.diff.item import ADDED, CHANGED, MOVED, REMOVED, Item
from statefmt.render.diff.markdown import sections
from statefmt.render.diff.summary import NOTHING, followed_text, summary
from statefmt.render.diff.values import Manner
from statefmt.render.report._environment import page
from statefmt.store.reading import display_name

_KINDS: Final = {ADDED: "added", REMOVED: "removed", CHANGED: "changed", MOVED: "moved"}
_WIDTH: Final = 240
# With more items, all are closed at first.
_MOST_OPEN: Final = 100


class DiffGroup(NamedTuple):
    """Items under one heading, and the anchor of it."""

    place: str
    title: str
    items: Sequence[Item]


class DiffSide(NamedTuple):
    """One of the states that are compared."""

    name: str
    serial: int


def diff_page(changes: SnapshotDiff, manner: Manner, old: State, new: State, made: datetime) -> bytes:
    """Render a comparison in HTML; the values are those that diff_text() shows."""
    sides = [DiffSide(display_name(state.location), state.serial) for state in (old, new)]
    groups = [
        DiffGroup(title.lower().replace(" ", "-"), title, items)
        for title, items in sections(changes, replace(manner, width=_WIDTH))
    ]
    return page(
        "diff.html",
        f"{sides[0].name} → {sides[1].name}",
        made,
        {
            "old": sides[0],
            "new": sides[1],
            "summary": summary(changes) if changes else f"{NOTHING[:1].upper()}{NOTHING[1:]}.",
            "followed": followed_text(changes) if changes.followed else "",
            "lineages": bool(old.lineage and new.lineage and old.lineage != new.lineage),
            "show_sensitive": manner.show_sensitive,
            "groups": groups,
            "sections": [("summary", "Summary"), *((group.place, group.title) for group in groups)],
            "kinds": _KINDS,
            "opens": sum(len(group.items) for group in groups) <= _MOST_OPEN,
        },
    )
