"""Lists the defects of a state with their positions in its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from statefmt.edit.repairs.defect import Defect
from statefmt.edit.repairs.find import defects
from statefmt.edit.session import LoadedState
from statefmt.formats.raw_json.positions import Position, finding_positions

if TYPE_CHECKING:
    # Not imported at run time: most runs have no configuration.
    from statefmt.configuration.provider_instances import ProviderReferences


@dataclass(frozen=True, slots=True)
class FoundDefects:
    """The defects of a state; `positions` maps the JSON pointers of their findings to positions in the plain file."""

    defects: tuple[Defect, ...]
    positions: Mapping[str, Position]

    def position(self, defect: Defect) -> Position | None:
        """Return the position of a defect; None if it is about the whole file."""
        pointer = defect.finding.pointer
        return self.positions.get(pointer) if pointer else None


def found_defects(
    state: LoadedState, references: ProviderReferences | None = None, *, show_sensitive: bool = False
) -> FoundDefects:
    """Return the defects of a state, as defects() does."""
    found = defects(state.data, references, show_sensitive=show_sensitive)
    return FoundDefects(found, finding_positions(state.data, [defect.finding for defect in found]) if found else {})
