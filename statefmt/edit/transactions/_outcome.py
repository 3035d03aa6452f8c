"""What operations over several states do, and what goes from one of the states to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

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

    def passages(self) -> dict[str, Passages]:
        """Return what goes from one state to another, as each of the two sees it."""
        changes = {short: one.changes for short, one in self.outcomes.items()}
        return passages(changes, {short: one.edit.snapshot for short, one in self.outcomes.items()})

    def dropped(self, across: Mapping[str, Passages]) -> Iterator[KeptDependency]:
        """Yield the dependencies that were dropped, with both ends where they are after all operations.

        `across` is what `passages` returns.
        """
        went = {(state, addr): one for state, each in across.items() for addr, one in each.sent.items()}
        resources = {(state, addr.config()): one for (state, addr), one in went.items()}
        for found in map(_crossing, self.edits.crossing):
            one, other = went.get((found.state, found.dependant)), resources.get((found.other, found.needs))
            here = (one.other, one.change.addr) if one else (found.state, found.dependant)
            there = (other.other, other.change.addr.config()) if other else (found.other, found.needs)
            yield KeptDependency(*here, *there)


# Gets the names of the states by their short names, and the results; returns whether to write them.
Agreed: TypeAlias = Callable[[Mapping[str, str], FileOutcome], bool]


def _crossing(one: StateCrossing) -> KeptDependency:
    found = one.dependency
    here, there = (one.source, one.target) if found.is_leaving else (one.target, one.source)
    return KeptDependency(here, found.dependant, there, found.now)
