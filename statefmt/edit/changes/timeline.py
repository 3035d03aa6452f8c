"""Finds in a history which edits are in effect, and which contents the state had, oldest first.

A history belongs to contents, not to a place: what was recorded of an earlier state at the same place is no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from statefmt.store.protocol import HistoryEntry, JointEdit


class EffectiveEdit(NamedTuple):
    """An edit in effect: its number, and what tells a joint edit from others.

    If `is_foreign`, something else wrote the state, right before the edit of that number or since the last one.
    """

    number: int
    joint_id: str = ""
    is_foreign: bool = False


class Point(NamedTuple):
    """A content that the state had: that before the edit `entry`, with the edits in effect then, oldest first."""

    entry: HistoryEntry
    edits: tuple[EffectiveEdit, ...]

    @property
    def number(self) -> int:
        """The number of the edit after it."""
        return self.entry.number


class Timeline(NamedTuple):
    """The points of a state that an undo can go back to, oldest first, and the edits in effect now.

    `last` is the last edit that was not taken back, which an undo without a number undoes. `is_at_end` if the state has
    the content that its last edit gave it. `forgotten` are edits of an earlier state at this place. `entries` are all.
    """

    entries: Sequence[HistoryEntry]
    points: tuple[Point, ...]
    now: tuple[EffectiveEdit, ...]
    last: HistoryEntry | None
    is_at_end: bool
    forgotten: frozenset[int]

    def before(self, number: int) -> Point | None:
        """Return the point before an edit, or before all edits of its joint edit; None if there is none."""
        entry = next((one for one in self.entries if one.number == number), None)
        if entry is not None and entry.joint:
            number = entries_of(self.entries, entry.joint.id)[0].number
        return next((point for point in self.points if point.number == number), None)

    def joint(self, joint_id: str) -> JointEdit | None:
        """Return a joint edit of the state by its ID; None if it has none, or an earlier state at this place has it."""
        entry = next((one for one in entries_of(self.entries, joint_id) if one.number not in self.forgotten), None)
        return entry.joint or None if entry else None

    def later_than(self, number: int) -> frozenset[str]:
        """Return the IDs of the edits from a number on, "" for an edit of this state only; without those taken back."""
        return frozenset(_id(point.entry) for point in self.points if point.number >= number)


def timeline(
    entries: Sequence[HistoryEntry], now: str | None, lineage: Callable[[str], str], unknown: Collection[str] = ()
) -> Timeline:
    """Read a history. `now` is the SHA-256 of the content of the state, None if that is as after the last edit.

    An undo makes the edits effective that were so before the edit that it undoes: so an undo that was undone counts as
    nothing. Where another content follows than an edit left, something else has written the state: an earlier content,
    another state, whose `lineage` (of the content with a checksum) differs, or a change of this one. Undos with the IDs
    `unknown` count as edits of their own, as do those whose edit the history no longer has.
    """
    points: list[Point] = []
    edits: tuple[EffectiveEdit, ...] = ()
    known: dict[str, tuple[EffectiveEdit, ...]] = {}
    content, last = "", None
    forgotten: set[int] = set()

    def arrive(found: str, number: int) -> None:
        nonlocal edits
        if not content or found == content:
            return
        if found in known:
            edits = known[found]
        elif points and _is_another(lineage, points[-1].entry, found):
            forgotten.update(entry.number for entry in entries if entry.number < number)
            points.clear()
            known.clear()
            edits = ()
        else:
            edits = (*edits, EffectiveEdit(number, is_foreign=True))

    for group in _groups(entries):
        entry = group[0]
        if entry.creates:
            forgotten.update(one.number for one in entries if one.number < entry.number)
            points.clear()
            known.clear()
            edits, last = (), None
        else:
            arrive(entry.before, entry.number)
        known[entry.before] = edits
        if len(content_chain(group)) > 1:
            points.append(Point(entry, edits))
            last = entry
            goes_back = _target(entry, entries, points, unknown)
            edits = (*edits, EffectiveEdit(entry.number, _id(entry))) if goes_back is None else goes_back
        content = group[-1].after
        known[content] = edits
    is_at_end = now is None or not content or now == content
    if now is not None:
        arrive(now, entries[-1].number + 1 if entries else 0)
    if not points:
        last = None
    return Timeline(entries, tuple(points), edits, last, is_at_end, frozenset(forgotten))


def unknown_undos(entries: Sequence[HistoryEntry]) -> frozenset[str]:
    """Return the IDs of joint undos of edits that a history no longer has."""
    numbers = {entry.number for entry in entries}
    return frozenset(
        entry.joint.id for entry in entries if entry.joint and entry.undoes and entry.undoes not in numbers
    )


def entries_of(entries: Sequence[HistoryEntry], joint_id: str) -> tuple[HistoryEntry, ...]:
    """Return the edits that a joint edit made to the state, oldest first."""
    return tuple(entry for entry in entries if entry.joint and entry.joint.id == joint_id)


def content_chain(entries: Sequence[HistoryEntry]) -> list[str]:
    """Return the checksums of the contents that a joint edit gave the state, from the one before it to the last.

    `entries` are those of the joint edit. What was taken back is left out, so the list has one checksum if that is all.
    """
    chain: list[str] = []
    for content in (*(entry.before for entry in entries[:1]), *(entry.after for entry in entries)):
        if content in chain:
            del chain[chain.index(content) :]
        chain.append(content)
    return chain


def _groups(entries: Sequence[HistoryEntry]) -> Iterator[tuple[HistoryEntry, ...]]:
    """Yield the edits, those of one joint edit together."""
    seen: set[str] = set()
    for entry in entries:
        if not entry.joint:
            yield (entry,)
        elif entry.joint.id not in seen:
            seen.add(entry.joint.id)
            yield entries_of(entries, entry.joint.id)


def _id(entry: HistoryEntry) -> str:
    return entry.joint.id if entry.joint else ""


def _target(
    entry: HistoryEntry, entries: Sequence[HistoryEntry], points: Sequence[Point], unknown: Collection[str]
) -> tuple[EffectiveEdit, ...] | None:
    """Return the edits in effect after an undo; None if this is another edit, or if they are unknown."""
    if _id(entry) in unknown:
        return None
    number = entry.undoes or 0
    if not number and entry.joint and entry.joint.undoes:
        # Before undos had numbers.
        undone = entries_of(entries, entry.joint.undoes)
        number = undone[0].number if undone else 0
    return next((point.edits for point in points if number and point.number == number), None)


def _is_another(lineage: Callable[[str], str], entry: HistoryEntry, found: str) -> bool:
    """Return whether a content is that of another state than the one before an edit."""
    one, other = lineage(entry.before), lineage(found)
    return bool(one and other) and one != other
