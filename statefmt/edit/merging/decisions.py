"""Reads the decisions about the conflicts of a merge: from a file, and from selectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from statefmt.analysis.selection.addresses import Addresses
from statefmt.edit.merging.model import Conflict, ConflictKind, MergeSide
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.errors import AddressError, NoMatchError, StoreError, SurgeryError

_ALL = "**"


class Decisions(Struct, frozen=True):
    """The decisions about conflicts: of each conflict by itself, and selectors with the side to take."""

    of: Mapping[Conflict, MergeSide] = field(default_factory=dict)
    selectors: tuple[tuple[str, MergeSide], ...] = ()

    def side(self, conflict: Conflict) -> MergeSide | None:
        """Return the side to take; `**` decides what nothing else does. Raises SurgeryError if selectors disagree."""
        if conflict in self.of:
            return self.of[conflict]
        found = [(selector, side) for selector, side in self.selectors if _selects(selector, conflict)]
        found = [one for one in found if one[0] != _ALL] or found
        if len({side for _, side in found}) > 1:
            given = " and ".join(f"{selector} ({side.value})" for selector, side in found)
            raise SurgeryError(f"{conflict}: both sides are to be taken, by {given}", address=conflict.address or None)
        return found[0][1] if found else None

    def refuse_unused(self, conflicts: Iterable[Conflict]) -> None:
        """Raise SurgeryError if a decision is about none of the conflicts of a merge."""
        found = list(conflicts)
        for decided in self.of:
            if decided not in found:
                raise SurgeryError(f"no conflict for the decision about {decided}", address=decided.address or None)
        for selector, side in self.selectors:
            if selector != _ALL and not any(_selects(selector, conflict) for conflict in found):
                raise SurgeryError(f"no conflict matches {selector} ({side.value})", address=selector)


def parse_decisions(data: bytes, name: str) -> Mapping[Conflict, MergeSide]:
    """Read a file with decisions, as `statetool merge --format json` prints it; one without a side decides nothing.

    Raises StoreError for a file of another form, with the place.
    """
    # Imported late: jsonschema takes longer than the merge.
    from statefmt.schema_problems import decoded, schema_problems

    try:
        document = decoded(data)
        problems = schema_problems("merge-output", document)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{name}: not JSON: {error}") from None
    if problems:
        raise StoreError(f"{name}: {problems[0].pointer or 'the whole file'}: {problems[0].message}")
    return {
        Conflict(one["address"], one["path"], ConflictKind(one["kind"])): MergeSide(one["take"])
        for one in document["conflicts"]
        if one["take"] is not None
    }


def _selects(selector: str, conflict: Conflict) -> bool:
    if selector in (_ALL, conflict.address):
        return True
    try:
        return bool(Addresses([parse_abs_resource_instance(conflict.address)]).fitting(selector))
    except (AddressError, NoMatchError):
        # An output, the state itself, or another address.
        return False
