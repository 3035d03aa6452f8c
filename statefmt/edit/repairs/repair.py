"""Mends the defects of a state by choices, and keeps all other bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from statefmt.edit.repairs._document import path_of, pointer
from statefmt.edit.repairs._origins import Origins
from statefmt.edit.repairs.decisions import Decided, Decision
from statefmt.edit.repairs.defect import Defect
from statefmt.edit.repairs.find import defects
from statefmt.formats.writing.changes import Changes, JsonPath, MovedText, changed
from statefmt.model.errors import SurgeryError

if TYPE_CHECKING:
    # Not imported at run time: most runs have no configuration.
    from statefmt.configuration.provider_instances import ProviderReferences

# Returns what was decided for a defect, whose pointer is that of the file that was read.
Decide: TypeAlias = Callable[[Defect], Decided | None]


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
    used: frozenset[Decision]


@dataclass(frozen=True, slots=True)
class Round:
    """What can be mended at once: the changes, the defects, and those that nothing was decided for.

    `used` are the decisions that decided something, if only for a part that another one removes.
    """

    changes: Changes
    mended: tuple[MendedDefect, ...]
    left: tuple[Defect, ...]
    used: frozenset[Decision]


def repaired(
    data: bytes, decide: Decide, references: ProviderReferences | None = None, *, show_sensitive: bool = False
) -> Repair:
    """Mend what is decided, in rounds: some defects only show when others are mended.

    `references` and `show_sensitive` are as for defects().

    Raises SurgeryError if a choice does not mend its defect, or its value is not valid.
    """
    mended: list[MendedDefect] = []
    used: set[Decision] = set()
    origins, seen, done = Origins(), {_digest(data)}, set[tuple[str, str, str, str]]()
    while True:
        found = defects(data, references, show_sensitive=show_sensitive)
        step = one_round(found if not mended else [_as_read(defect, origins) for defect in found], decide)
        mended += step.mended
        used |= step.used
        if not step.changes:
            return Repair(data, tuple(mended), step.left, frozenset(used))
        origins.note(data, step.changes)
        data = changed(data, step.changes)
        # Mending one defect may show others, but never itself again.
        again = next((one for one in step.mended if _key(one) in done), mended[-1] if _digest(data) in seen else None)
        if again is not None:
            raise SurgeryError(f"{again.defect.place}: {again.decided.label} does not mend {again.defect.finding.code}")
        done.update(_key(one) for one in step.mended)
        seen.add(_digest(data))


def one_round(found: Iterable[Defect], decide: Decide) -> Round:
    """Return what can be mended at once of the defects found. Raises SurgeryError if a value is not valid."""
    made = _Collected()
    mended: list[MendedDefect] = []
    left: list[Defect] = []
    later: list[tuple[Decided, Changes]] = []
    for defect in found:
        choice = decide(defect)
        if choice is None:
            left.append(defect)
            continue
        changes = _changes(defect, choice)
        if made.add(changes):
            mended.append(MendedDefect(defect, choice))
        else:
            later.append((choice, changes))
    used = [one.decided for one in mended]
    removed = made.removed() if later else frozenset()
    for choice, changes in later:
        if all(any(path[:length] in removed for length in range(len(path) + 1)) for path in changes):
            used.append(choice)
    decisions = frozenset(one.decision for one in used if one.decision is not None)
    return Round(made.changes, tuple(mended), tuple(left), decisions)


def _as_read(defect: Defect, origins: Origins) -> Defect:
    """Return a defect with the pointer of the file that was read."""
    finding = defect.finding
    if not finding.pointer:
        return defect
    return replace(defect, finding=replace(finding, pointer=pointer(origins.of(path_of(finding.pointer)))))


def _key(one: MendedDefect) -> tuple[str, str, str, str]:
    """Return what tells a defect and its choice from all others."""
    finding = one.defect.finding
    return finding.code, finding.pointer, finding.detail, one.decided.label


def _digest(data: bytes) -> bytes:
    return sha256(data).digest()


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

    def removed(self) -> frozenset[JsonPath]:
        """Return the parts that are removed, and not moved elsewhere."""
        moved = {
            text.source[:length]
            for text in self.changes.values()
            if isinstance(text, MovedText)
            for length in range(len(text.source) + 1)
        }
        return frozenset(path for path, text in self.changes.items() if text is None and path not in moved)

    def _fits(self, path: JsonPath, text: bytes | None) -> bool:
        if path in self.changes:
            return self.changes[path] == text
        return path not in self._above and not any(path[:length] in self.changes for length in range(len(path)))
