"""Mends the defects of a state by choices, and keeps all other bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from statefmt.edit.repairs.decisions import Decided, Decision
from statefmt.edit.repairs.defect import Defect
from statefmt.edit.repairs.find import defects
from statefmt.formats.writing.changes import Changes, JsonPath, changed
from statefmt.model.errors import SurgeryError

if TYPE_CHECKING:
    # Not imported at run time: most runs have no configuration.
    from statefmt.configuration.providers.references import ProviderReferences

# Returns what was decided for a defect; the flag says whether pointers still are those of the file that was read.
Decide: TypeAlias = Callable[[Defect, bool], Decided | None]

# Mending one defect may show others; this many times in a row is a choice that mends nothing.
_MOST_ROUNDS: Final = 100


@dataclass(frozen=True, slots=True)
class MendedDefect:
    """A defect and what was decided for it."""

    defect: Defect
    decided: Decided


@dataclass(frozen=True, slots=True)
class Repair:
    """The content after a repair, what was mended, and what is left."""

    content: bytes
    mended: tuple[MendedDefect, ...]
    left: tuple[Defect, ...]

    @property
    def used(self) -> frozenset[Decision]:
        """The decisions that decided something."""
        return frozenset(one.decided.decision for one in self.mended if one.decided.decision is not None)


def repaired(
    data: bytes, decide: Decide, references: ProviderReferences | None = None, *, show_sensitive: bool = False
) -> Repair:
    """Mend what is decided, in rounds: some defects only show when others are mended.

    `references` and `show_sensitive` are as for defects().

    Raises SurgeryError if a choice does not mend its defect, or its value is not valid.
    """
    mended: list[MendedDefect] = []
    for number in range(_MOST_ROUNDS):
        found = defects(data, references, show_sensitive=show_sensitive)
        made = _Collected()
        left: list[Defect] = []
        for defect in found:
            choice = decide(defect, number == 0)
            if choice is None:
                left.append(defect)
            elif made.add(_changes(defect, choice)):
                mended.append(MendedDefect(defect, choice))
        if not made.changes:
            return Repair(data, tuple(mended), tuple(left))
        content = changed(data, made.changes)
        if content == data:
            break
        data = content
    last = mended[-1]
    raise SurgeryError(f"{last.defect.place}: {last.decided.label} does not mend {last.defect.finding.code}")


def _changes(defect: Defect, choice: Decided) -> Changes:
    try:
        return choice.choice.changes(choice.value)
    except SurgeryError as error:
        origin = "" if choice.decision is None or not choice.decision.origin else f"{choice.decision.origin}: "
        place = f"{defect.finding.code} at {defect.place}"
        raise SurgeryError(
            f"{origin}{place}: {choice.label}: {error}", address=defect.finding.address or None
        ) from error


class _Collected:
    """The changes of one round, none of which is inside another."""

    def __init__(self) -> None:
        self.changes: dict[JsonPath, bytes | None] = {}
        self._above: set[JsonPath] = set()

    def add(self, changes: Changes) -> bool:
        """Add changes; return False, and add none, if one of them meets an earlier one: the next round makes them."""
        if not all(self._fits(path, text) for path, text in changes.items()):
            return False
        self.changes.update(changes)
        self._above.update(path[:length] for path in changes for length in range(len(path)))
        return True

    def _fits(self, path: JsonPath, text: bytes | None) -> bool:
        if path in self.changes:
            return self.changes[path] == text
        return path not in self._above and not any(path[:length] in self.changes for length in range(len(path)))
