"""Selects the instances that an edit is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from statefmt.analysis.selection import select_in
from statefmt.analysis.selection.criteria import Criteria, Selector, criteria_of
from statefmt.model.errors import SelectionError, Wording
from statefmt.model.snapshot import InstanceState, Snapshot

_FILTER: Final = Wording("filter option", "filter")

# Criteria, one selector, or several.
Selection: TypeAlias = Criteria | Selector | Iterable[Selector]
# Receives a sentence on what else a selection has to say.
Note: TypeAlias = Callable[[str], None]


def choose(snapshot: Snapshot, chosen: Selection, note: Note = lambda _: None) -> list[InstanceState]:
    """Return the selected instances. Raises SelectionError if there are no criteria, or no instance matches."""
    chosen = criteria_of(chosen)
    if chosen == Criteria():
        raise SelectionError("no instances selected: give an address, a pattern or a ", _FILTER, "; '**' selects all")
    return select_in(snapshot, chosen, note)
