"""`undo` and `restore`: return to an earlier content, also of a state that cannot be loaded.

An undo reads the history of a state as the contents that it had.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.changes import Edit, with_note
from statefmt.edit.session import LoadedState, StateFileError, loaded, with_next_serial
from statefmt.formats import style_of
from statefmt.formats.raw_json import container_at
from statefmt.formats.reading import CURRENT_VERSION, ReadResult, read
from statefmt.formats.reading.damaged import is_json_object, known_snapshot, may_be_torn, names_format
from statefmt.formats.writing.assemble import Assembler
from statefmt.model.errors import (
    ConfigurationError,
    EncryptedStateError,
    EncryptionError,
    NotAStateError,
    StateError,
    StatetoolError,
    StoreError,
    SurgeryError,
    UnsupportedStateError,
    Wording,
)
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from statefmt.pieces import Span, joined
from statefmt.sealed import Seal, opened
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import HistoryEntry, JointEdit, Store
from statefmt.store.reading import display_name
from statefmt.text import printable

_DAMAGED: Final = "the restored content is damaged, so everything in the state counts as removed. The damage:"
_CREATED: Final = "the edit created this state, and the undo empties it; delete it unless you want to redo the edit"


class Undo(NamedTuple):
    """The way back of a state to a `point` of its `timeline`: `content` is the stored content there.

    `name` is that of the state. `joint` are the edits of several states that are in effect at only one of the two: the
    undo takes them back or makes them again.
    """

    name: str
    timeline: Timeline
    point: Point
    content: bytes
    joint: tuple[JointEdit, ...] = ()

    @property
    def entry(self) -> HistoryEntry:
        """The first edit that is undone."""
        return self.point.entry

    @property
    def last(self) -> HistoryEntry:
        """The last edit of the state."""
        return self.timeline.entries[-1]

    @property
    def earlier(self) -> HistoryEntry | None:
        """The last edit that is still in effect after the undo, if there is one."""
        numbers = [step.number for step in self.point.edits if not step.is_foreign]
        return next((entry for entry in self.timeline.entries if numbers[-1:] == [entry.number]), None)

    def refuse_one_of_several(self) -> None:
        """Raise StoreError if this would undo a joint edit in one of its states only."""
        if not self.joint:
            return
        if len(self.joint) == 1:
            what = f"edit {self.entry.number} ({printable(self.entry.command)}) changed {len(self.joint[0].written)}"
        else:
            what = f"the edits from {self.entry.number} on include {len(self.joint)} edits of several"
        raise StoreError(
            f"{self.name}: {what} states; nothing was written. ",
            Wording("Use --only", "statefmt.operations_files.undo_together() undoes all of them, and only=True"),
            " to undo it in this state only",
        )

    @property
    def foreign(self) -> int | None:
        """The number of the edit before which something else changed the state, which this would discard; or None."""
        lost = [step for step in self.timeline.now if step.is_foreign and step not in self.point.edits]
        return next((step.number for step in lost if step.number <= self.last.number), None)

    def refuse_foreign(self) -> None:
        """Raise StoreError if this would discard what something else wrote between edits."""
        if self.foreign is not None:
            raise StoreError(
                f"{self.name}: something else changed the state before edit {self.foreign}, and this undo would "
                "discard that change; nothing was written. ",
                Wording("Use --discard-changes", "discard_changes=True"),
                " to undo anyway; the history keeps the content",
            )

    def edit(self, context: RunContext, snapshot: Snapshot, *, discards_changes: bool = False) -> Edit:
        """Restore the content, decrypted with the configuration of the run; also one that cannot be read.

        Raises EncryptionError, StateFileError if no configuration decrypts it, and SurgeryError if this would discard a
        state of another lineage.
        """
        if self.entry.creates:
            # With a new serial, as any restored content: the history must have the undo, even if nothing is left.
            empty = structs.replace(with_next_serial(snapshot, self.name), outputs=(), resources=(), check_results=())
            return with_note(Edit(empty, undoes=self.entry.number), _CREATED)
        opening = opened(context, self.name, self.content)
        plain = self.content if opening is None else opening.plain
        number = self.entry.number
        try:
            found = restore(snapshot, plain)
        except StateError as error:
            if isinstance(error, EncryptedStateError):
                where = f"{self.name} before edit {number}; `statetool history --content {number}` prints it"
                raise StateFileError(where, error) from error
            found = with_note(restore_damaged(snapshot, plain), f"{_DAMAGED} {damage(error)}")
        lineages = (found.snapshot.lineage, snapshot.lineage)
        if discards_changes and all(lineages) and len(set(lineages)) > 1:
            earlier, current = (f"'{printable(lineage)}'" for lineage in lineages)
            raise SurgeryError(
                f"the content before edit {number} has the lineage {earlier}, and the state has "
                f"{current}: another state is in its place by now. `statetool history --content "
                f"{number}` prints the content"
            )
        return replace(found, undoes=number)


def undo_request(store: Store, number: int | None) -> Undo:
    """Return what undoes an edit and all later ones; None is the last edit.

    Reads the content, so it must be called before the state is locked: if a backup was moved in place of the state,
    both are the same file, and closing it would drop the lock. Raises StoreError if the history does not have the edit.
    """
    found = read_timeline(store)
    name, entries, wanted = store.name, found.entries, number
    if wanted is None:
        if found.last is None:
            raise StoreError(f"{name}: nothing to undo: {_nothing_recorded(found)}")
        wanted = found.last.number
    point = found.before(wanted)
    if point is None:
        if not entries:
            raise StoreError(f"{name}: nothing to undo: {_nothing_recorded(found)}")
        if any(entry.number == wanted for entry in entries):
            what = (
                "is of another state that was in this place"
                if wanted in found.forgotten
                else "was taken back when it failed, so there is nothing to undo"
            )
            raise StoreError(f"{name}: edit {wanted} {what}; `statetool history --content {wanted}` prints the content")
        raise StoreError(
            f"{name}: there is no edit {wanted}; the history has edits {entries[0].number} to {entries[-1].number}: "
            "see ",
            Wording("`statetool history`", "State.history()"),
        )
    return undo_to(store, found, point)


def undo_to(store: Store, found: Timeline, point: Point) -> Undo:
    """Return what brings a state back to a point. Raises StoreError if the history lacks the content."""
    # The edits that are in effect either now or then, oldest first.
    ids = [step.joint_id for step in sorted({*found.now} ^ {*point.edits}) if step.joint_id]
    joint = tuple(one for one in map(found.joint, ids) if one is not None)
    return Undo(store.name, found, point, store.content(point.entry.before), joint)


def read_timeline(store: Store, unknown: frozenset[str] = frozenset()) -> Timeline:
    """Read the history of a state, as far as it is that of its content; `unknown` as for timeline(). Raises StoreError.

    A state that cannot be read counts as one that nothing else has changed: an edit of it compares the content.
    """
    entries = store.versions()
    if not entries:
        return timeline((), None, lambda _: "")
    try:
        content = store.read().data
    except StoreError:
        content = None
    now = None if content is None else checksum(content)
    return timeline(entries, now, _lineages(store, now, content or b""), unknown | unknown_undos(entries))


def _lineages(store: Store, now: str | None, current: bytes) -> Callable[[str], str]:
    """Return the function that finds the lineage of a content by its SHA-256, "" if it is unknown."""

    def lineage(found: str) -> str:
        try:
            return known_snapshot(current if found == now else store.content(found)).lineage
        except StoreError:
            return ""

    return lineage


def _nothing_recorded(found: Timeline) -> str:
    if found.forgotten:
        first = min(found.forgotten)
        return (
            "the recorded edits are those of another state that was in this place. "
            f"`statetool history --content {first}` prints that state before edit {first}"
        )
    if found.entries:
        return "all recorded edits were taken back when they failed"
    return "no edits by statetool are recorded"


# Finds in a history which edits are in effect, and which contents the state had, oldest first.
# A history belongs to contents, not to a place: what was recorded of an earlier state at the same place is no part of
# it.


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


_BEFORE: Final = ("version", "terraform_version", "serial")
_DEPTH: Final = 1


def restore(snapshot: Snapshot, content: bytes) -> Edit:
    """Replace a state with an earlier content, byte for byte except for a serial higher than both.

    Raises StateError if the content is not a state, and SurgeryError if there is no higher serial.
    """
    restored = with_serial(content, _next_serial(snapshot, read(content).snapshot))
    result = read(restored)
    return Edit(result.snapshot, restored=restored, restored_version=result.version)


def restore_damaged(snapshot: Snapshot, content: bytes) -> Edit:
    """Replace a state with an earlier content that cannot be read, as restore() does.

    Content that is not JSON keeps its serial. The new snapshot is empty, as far as the content is known. Raises
    SurgeryError if there is no higher serial.
    """
    known = known_snapshot(content)
    if is_json_object(content):
        known = structs.replace(known, serial=_next_serial(snapshot, known))
        content = with_serial(content, known.serial)
    return Edit(known, restored=content, restored_version=CURRENT_VERSION)


def _next_serial(snapshot: Snapshot, earlier: Snapshot) -> int:
    serial = max(snapshot.serial, earlier.serial) + 1
    if serial > HIGHEST_SERIAL:
        raise SurgeryError(
            "the serial is the highest possible, so no state can follow this one; the backups beside it have its "
            "earlier contents"
        )
    return serial


def with_serial(data: bytes, serial: int) -> bytes:
    """Return the bytes of a state with another serial; `data` must be a JSON object."""
    top = container_at(data)
    member = Assembler(data, style_of(data).layout).edited(top, {"serial": [b"%d" % serial]}, _BEFORE, _DEPTH)
    return joined(data, [Span(0, top.span.start), *member, Span(top.span.end, len(data))])


_ENCRYPTED: Final = b'"encrypted_data"'


def loaded_to_mend(context: RunContext, name: str, data: bytes) -> tuple[LoadedState, StateFileError | None]:
    """Load a state as loaded() does; if its content cannot be used, return it with an empty snapshot, and the error.

    The snapshot has serial and lineage as far as they can be read. Raises what loaded() raises if the state cannot be
    decrypted, and StateFileError if the file does not look like a state.
    """
    try:
        return loaded(context, name, data), None
    except StateFileError as error:
        cause = error.__cause__
        if isinstance(cause, EncryptedStateError):
            raise
        found = opened(context, name, data)
        configuration = None if found is None else context.configuration()
        seal = None if found is None or configuration is None else Seal(data, found, configuration)
        plain = data if seal is None else seal.opened.plain
        if isinstance(cause, (NotAStateError, UnsupportedStateError)) and not may_be_torn(plain):
            raise
        result = ReadResult(known_snapshot(plain), (), CURRENT_VERSION, style_of(plain))
        return LoadedState(name, plain, result, seal=seal), error


def loaded_to_replace(
    context: RunContext, name: str, data: bytes, backup: LoadedState
) -> tuple[LoadedState, StateFileError | EncryptionError | None]:
    """Load a state as loaded() does; if it is damaged, return an empty one in its place, and the error.

    A damaged state has serial and lineage as far as they can be read, and is written in the form of the backup,
    encrypted or plain. Raises StoreError if the file does not look like a state, or the backup is plain and the state
    encrypted; and what loaded() raises if only a configuration is missing or wrong.
    """
    try:
        return loaded(context, name, data), None
    except ConfigurationError:
        raise
    except (StateFileError, EncryptionError) as error:
        cause = error.__cause__
        if isinstance(cause, EncryptedStateError):
            raise
        where = display_name(name)
        if isinstance(cause, NotAStateError) and not may_be_torn(data):
            raise StoreError(
                f"{where}: this file is not a state, not even a damaged one; nothing was written. If the path is "
                "right, move the file away first"
            ) from error
        if backup.seal is None and _ENCRYPTED in data and not names_format(data):
            raise StoreError(
                f"{where}: this file is encrypted and cannot be read, and the backup is in plain text; nothing was "
                "written, since that would leave the state in plain text. Move the file away first to restore the "
                "backup as it is; `statetool encrypt --in-place` then encrypts the state"
            ) from error
        result = ReadResult(known_snapshot(data), (), backup.result.version, backup.result.style)
        seal = None if backup.seal is None else Seal(data, backup.seal.opened, backup.seal.configuration)
        return LoadedState(name, data, result, seal=seal), error


def damage(error: StatetoolError) -> str:
    """Return what is wrong with a damaged state, in one sentence for a note."""
    first = error.reasons[0] if isinstance(error, StateError) and error.reasons else None
    return printable(error.on_command_line if first is None else first.detail or first.summary)
