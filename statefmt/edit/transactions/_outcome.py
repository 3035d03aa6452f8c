"""What operations over several states do, and what goes from one of the states to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from statefmt.analysis.diff.passages import Passages, passages
from statefmt.edit.operations_file import FileEdits, KeptDependency, StateCrossing
from statefmt.edit.surgical import EditOutcome


class FileOutcome(NamedTuple):
    """What the operations of a file do: to each state that changes, and across states. States are by short names.

    `created` are those that do not exist before.
    """

    outcomes: Mapping[str, EditOutcome]
    edits: FileEdits
    created: frozenset[str] = frozenset()

    def passages(self, names: Mapping[str, str]) -> dict[str, Passages]:
        """Return what goes from one state to another, as each of the two sees it; `names` are those of the others."""
        found = {names[short]: one for short, one in self.outcomes.items()}
        changes = {name: one.changes for name, one in found.items()}
        across = passages(changes, {name: one.edit.snapshot for name, one in found.items()})
        return {short: across[names[short]] for short in self.outcomes}

    def dropped(self) -> Iterator[KeptDependency]:
        """Yield the dependencies that were dropped, with both ends where they are after all operations."""
        if not self.edits.crossing:
            return
        across = self.passages({short: short for short in self.outcomes})
        went = {(state, addr): one for state, each in across.items() for addr, one in each.sent.items()}
        resources = {(state, addr.config()): one for (state, addr), one in went.items()}
        for found in map(_crossing, self.edits.crossing):
            one, other = went.get((found.state, found.dependant)), resources.get((found.other, found.needs))
            here = (one.other, one.change.addr) if one else (found.state, found.dependant)
            there = (other.other, other.change.addr.config()) if other else (found.other, found.needs)
            yield KeptDependency(*here, *there)


def _crossing(one: StateCrossing) -> KeptDependency:
    found = one.dependency
    here, there = (one.source, one.target) if found.is_leaving else (one.target, one.source)
    return KeptDependency(here, found.dependant, there, found.now)
