"""`undo` and `restore`: return to an earlier content, also of a state that cannot be loaded.

An undo reads the history of a state as a sequence of contents.
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
    """The return of a state to a `point` of its `timeline`; `content` is the stored content at that point.

    `name` names the state. `joint` are the edits of several states that are in effect either now or at the point: the
    undo reverts or repeats them.
    """

    name: str
    timeline: Timeline
    point: Point
    content: bytes
    joint: tuple[JointEdit, ...] = ()

    @property
    def entry(self) -> HistoryEntry:
        """The first undone edit."""
        return self.point.entry

    @property
    def last(self) -> HistoryEntry:
        """The last edit of the state."""
        return self.timeline.entries[-1]

    @property
    def earlier(self) -> HistoryEntry | None:
        """The last edit that stays in effect after the undo, if any."""
        numbers = [step.number for step in self.point.edits if not step.is_foreign]
        return next((entry for entry in self.timeline.entries if numbers[-1:] == [entry.number]), None)

    def refuse_one_of_several(self) -> None:
        """Raise StoreError if this would undo a joint edit in only one of its states."""
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
        """The number of the first edit that follows a foreign change, which the undo would discard; or None."""
        lost = [step for step in self.timeline.now if step.is_foreign and step not in self.point.edits]
        return next((step.number for step in lost if step.number <= self.last.number), None)

    def refuse_foreign(self) -> None:
        """Raise StoreError if the undo would discard foreign changes between edits."""
        if self.foreign is not None:
            raise StoreError(
                f"{self.name}: something else changed the state before edit {self.foreign}, and this undo would "
                "discard that change; nothing was written. ",
                Wording("Use --discard-changes", "discard_changes=True"),
                " to undo anyway; the history keeps the content",
            )

    def edit(self, context: RunContext, snapshot: Snapshot, *, discards_changes: bool = False) -> Edit:
        """Restore the content, decrypted with the configuration of the run; the content may be unreadable.

        Raises EncryptionError, StateFileError if no configuration decrypts it, and SurgeryError if the undo would
        discard a state of another lineage.
        """
        if self.entry.creates:
            # With a new serial, like any restored content: the history must record the undo, even of an empty state.
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
    """Plan the undo of an edit and all later edits; None is the last edit.

    Reads the content, so it must be called before the state is locked: if a backup was moved in place of the state,
    both are the same file, and closing it would drop the lock. Raises StoreError if the history lacks the edit.
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
    """Plan the return of a state to a point. Raises StoreError if the history lacks the content."""
    # The edits that are in effect either now or then, oldest first.
    ids = [step.joint_id for step in sorted({*found.now} ^ {*point.edits}) if step.joint_id]
    joint = tuple(one for one in map(found.joint, ids) if one is not None)
    return Undo(store.name, found, point, store.content(point.entry.before), joint)


def read_timeline(store: Store, unknown: frozenset[str] = frozenset()) -> Timeline:
    """Read the part of the history that belongs to the content of a state; `unknown` is as for timeline(). Raises
    StoreError.

    An unreadable state counts as unchanged since its last edit: an edit compares the content anyway.
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
    """Return a function that finds the lineage of a content by its SHA-256; "" if it is unknown."""

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


# Finds in a history the effective edits and the contents of the state, oldest first. A history belongs to contents, not
# to a place: records of an earlier state at the same place do not count.


class EffectiveEdit(NamedTuple):
    """An edit in effect: its number, and the ID of its joint edit.

    If `is_foreign`, another program wrote the state, right before the edit of that number or after the last edit.
    """

    number: int
    joint_id: str = ""
    is_foreign: bool = False


class Point(NamedTuple):
    """A content of the state: before the edit `entry`, with the edits in effect then, oldest first."""

    entry: HistoryEntry
    edits: tuple[EffectiveEdit, ...]

    @property
    def number(self) -> int:
        """The number of the following edit."""
        return self.entry.number


class Timeline(NamedTuple):
    """The points of a state that an undo can go back to, oldest first, and the edits in effect now.

    `last` is the last edit that was not undone; an undo without a number undoes it. `is_at_end` says whether the state
    has the content of its last edit. `forgotten` are edits of an earlier state at this place. `entries` are all edits.
    """

    entries: Sequence[HistoryEntry]
    points: tuple[Point, ...]
    now: tuple[EffectiveEdit, ...]
    last: HistoryEntry | None
    is_at_end: bool
    forgotten: frozenset[int]

    def before(self, number: int) -> Point | None:
        """Return the point before an edit, or before the whole joint edit; None if there is none."""
        entry = next((one for one in self.entries if one.number == number), None)
        if entry is not None and entry.joint:
            number = entries_of(self.entries, entry.joint.id)[0].number
        return next((point for point in self.points if point.number == number), None)

    def joint(self, joint_id: str) -> JointEdit | None:
        """Return a joint edit of the state by its ID; None if the state has no such edit."""
        entry = next((one for one in entries_of(self.entries, joint_id) if one.number not in self.forgotten), None)
        return entry.joint or None if entry else None

    def later_than(self, number: int) -> frozenset[str]:
        """Return the joint IDs of the effective edits from a number on; "" for an edit of this state only."""
        return frozenset(_id(point.entry) for point in self.points if point.number >= number)


def timeline(
    entries: Sequence[HistoryEntry], now: str | None, lineage: Callable[[str], str], unknown: Collection[str] = ()
) -> Timeline:
    """Read a history. `now` is the SHA-256 of the content; None means the content after the last edit.

    An undo restores the effective edits before the undone edit, so an undone undo has no effect. If the content before
    an edit differs from the content after the previous edit, another program has written the state: an earlier content,
    another state, whose `lineage` (by checksum) differs, or a change of this state. Undos with the IDs `unknown`, and
    undos of edits that the history no longer has, count as ordinary edits.
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
    """Return the IDs of joint undos whose edits the history no longer has."""
    numbers = {entry.number for entry in entries}
    return frozenset(
        entry.joint.id for entry in entries if entry.joint and entry.undoes and entry.undoes not in numbers
    )


def entries_of(entries: Sequence[HistoryEntry], joint_id: str) -> tuple[HistoryEntry, ...]:
    """Return the edits that a joint edit made to the state, oldest first."""
    return tuple(entry for entry in entries if entry.joint and entry.joint.id == joint_id)


def content_chain(entries: Sequence[HistoryEntry]) -> list[str]:
    """Return the checksums of the contents during a joint edit, from the content before it to the last.

    `entries` are the edits of the joint edit. Undone edits are left out; if all were undone, the list has one checksum.
    """
    chain: list[str] = []
    for content in (*(entry.before for entry in entries[:1]), *(entry.after for entry in entries)):
        if content in chain:
            del chain[chain.index(content) :]
        chain.append(content)
    return chain


def _groups(entries: Sequence[HistoryEntry]) -> Iterator[tuple[HistoryEntry, ...]]:
    """Yield the edits; the edits of a joint edit form one group."""
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
    """Return the edits in effect after an undo; None for any other edit, or if they are unknown."""
    if _id(entry) in unknown:
        return None
    number = entry.undoes or 0
    if not number and entry.joint and entry.joint.undoes:
        # Old histories have undos without numbers.
        undone = entries_of(entries, entry.joint.undoes)
        number = undone[0].number if undone else 0
    return next((point.edits for point in points if number and point.number == number), None)


def _is_another(lineage: Callable[[str], str], entry: HistoryEntry, found: str) -> bool:
    """Return whether a content belongs to another state than the content before an edit."""
    one, other = lineage(entry.before), lineage(found)
    return bool(one and other) and one != other


_BEFORE: Final = ("version", "terraform_version", "serial")
_DEPTH: Final = 1


def restore(snapshot: Snapshot, content: bytes) -> Edit:
    """Replace a state with an earlier content, byte for byte except for the serial, which is higher than both.

    Raises StateError if the content is not a state, and SurgeryError if there is no higher serial.
    """
    restored = with_serial(content, _next_serial(snapshot, read(content).snapshot))
    result = read(restored)
    return Edit(result.snapshot, restored=restored, restored_version=result.version)


def restore_damaged(snapshot: Snapshot, content: bytes) -> Edit:
    """Replace a state with an unreadable earlier content, like restore().

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
    """Load a state like loaded(); if its content is unusable, return it with an empty snapshot, and the error.

    The snapshot has serial and lineage as far as they can be read. Raises the errors of loaded() if the state cannot be
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
    """Load a state like loaded(); if it is damaged, return an empty state instead, and the error.

    A damaged state has serial and lineage as far as they can be read, and is written in the form of the backup,
    encrypted or plain. Raises StoreError if the file does not look like a state, or if the backup is plain and the
    state encrypted; and the errors of loaded() if only a configuration is missing or wrong.
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
    """Return the damage of a state, in one sentence for a note."""
    first = error.reasons[0] if isinstance(error, StateError) and error.reasons else None
    return printable(error.on_command_line if first is None else first.detail or first.summary)
