"""Edits and repairs a state as text: the whole state, the attributes of one instance, or its defects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Raw, Struct

from statefmt.analysis.diff import diff
from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.edit.added_findings import edit_findings
from statefmt.edit.changes import Edit, choose
from statefmt.edit.operations.set import with_attributes
from statefmt.edit.operations.undo import with_serial
from statefmt.edit.pipeline import EditOptions, EditOutcome, OpenedEdit, Operation, Proposal, surgical
from statefmt.edit.repairs import Decision, RepairResult, loaded_to_repair, repairing
from statefmt.edit.repairs.find import FoundDefects, found_defects
from statefmt.edit.repairs.member_choices import Defect
from statefmt.edit.session import LoadedState, StateFileError, with_next_serial
from statefmt.formats import Layout, style_of
from statefmt.formats.raw_json import json_problem
from statefmt.formats.raw_json.positions import Position, finding_positions, positions
from statefmt.formats.reading import CURRENT_VERSION, ReadResult, read
from statefmt.formats.writing.write import Splicer
from statefmt.golang import loads_exact
from statefmt.library._handle import StateHandle, located
from statefmt.library.transaction import EditResult, committed, result_of
from statefmt.model.errors import StateError, StoreError, SurgeryError, Wording
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot
from statefmt.pieces import Span, joined
from statefmt.store.reading import display_name
from statefmt.store.remote.interruption import interruptible
from statefmt.text import printable


class _Subject(NamedTuple):
    """The text to edit, the function that turns its new version into an operation, and its pointer in the state."""

    text: EditableText
    operation: Callable[[bytes], Operation[EditOutcome]]
    pointer: str


class TextEdit:
    """An edit of a state as text between its lock and its end, made by `State.edit_text()`.

    Propose a new text, then write it. Both may be repeated: a refused text and a failed write change nothing.
    """

    def __init__(
        self,
        opened: OpenedEdit,
        address: str | None,
        damage: StateError | None,
        references: ProviderReferences | None,
        written: Callable[[EditResult], None] | None,
    ) -> None:
        """Use `State.edit_text()` instead, which locks the state."""
        self._opened = opened
        self._damage = damage
        self._subject = (
            _whole(opened, references, is_damaged=damage is not None)
            if address is None
            else _attributes(opened, address, references)
        )
        self._written = written
        self._proposed: Proposal[EditOutcome] | None = None
        self._result: EditResult | None = None
        self._open = True

    @property
    def text(self) -> bytes:
        """The text to edit, with all secrets: the state as it is stored, or indented if it is on one line."""
        return self._subject.text.shown

    @property
    def damage(self) -> StateError | None:
        """The reason why the state is unusable and needs a new text; None if it is usable."""
        return self._damage

    @property
    def is_encrypted(self) -> bool:
        """Whether the file is encrypted; the text is not."""
        return self._opened.state.seal is not None

    @property
    def is_written(self) -> bool:
        """Whether a text was written, to the state or to `out`."""
        return self._result is not None and self._result.written

    @property
    def serial(self) -> int:
        """The serial of the state; 0 if it is too damaged to have one."""
        return self._opened.state.result.snapshot.serial

    def propose(self, text: bytes) -> EditResult:
        """Check a new text, and return the result that `write()` would write, for a preview.

        Raises StateError if the result is not a readable state or the edit would add an error finding, and SurgeryError
        if the lineage differs or the serial is lower.
        """
        self._refuse_ended()
        self._proposed = None
        self._proposed = self._opened.proposed(self._subject.operation(text))
        return result_of(self._proposed.outcome)

    def write(self) -> EditResult:
        """Write the last proposed text, with the next serial; a dry run or the same content writes nothing.

        Raises StoreError and leaves the state unchanged if it cannot be written.
        """
        self._refuse_ended()
        if self._proposed is None:
            raise SurgeryError("no text was proposed; nothing was written")
        committed(self._opened, self._proposed, self._end)
        assert self._result is not None
        return self._result

    def positions(self, text: bytes, findings: Sequence[Finding]) -> Mapping[str, Position]:
        """Map each finding about the text, by its pointer, to its line and column in a proposed text."""
        pointer = self._subject.pointer
        if not pointer:
            return finding_positions(text, findings)
        inside = {one.pointer: one.pointer.removeprefix(pointer) for one in findings if one.pointer.startswith(pointer)}
        places = positions(text, inside.values())
        return {whole: places[part] for whole, part in inside.items()}

    def _refuse_ended(self) -> None:
        if not self._open:
            raise SurgeryError("the edit has ended; start another one")

    def _end(self, result: EditResult) -> None:
        self._result = result
        if result.written and self._written is not None:
            self._written(result)


@contextmanager
def text_edit(
    opened: OpenedEdit,
    address: str | None,
    damage: StateError | None,
    references: ProviderReferences | None,
    written: Callable[[EditResult], None] | None,
) -> Iterator[TextEdit]:
    """Edit an opened state as text. Raises `damage`, if any, for an edit of a single instance."""
    if damage is not None and address is not None:
        raise damage
    edit = TextEdit(opened, address, damage, references, written)
    try:
        yield edit
    finally:
        edit._open = False


def _whole(opened: OpenedEdit, references: ProviderReferences | None, *, is_damaged: bool) -> _Subject:
    if not is_damaged:
        refuse_older_format(opened.state)
    text = text_of_state(opened.state.data)
    return _Subject(text, lambda edited: replaced_by(text, edited, is_damaged=is_damaged, references=references), "")


def _attributes(opened: OpenedEdit, selector: str, references: ProviderReferences | None) -> _Subject:
    """Return the attributes of the instance that a selector names; unchanged values keep their bytes.

    Raises SelectionError if it matches nothing, and SurgeryError if it matches several instances, or if the instance
    has no current object with attributes. The operation raises SurgeryError, with the line, if the text is not a JSON
    object in UTF-8.
    """
    snapshot = opened.state.result.snapshot
    found = choose(snapshot, selector)
    if len(found) > 1:
        shown = [f"  {instance.addr}" for instance in found[:_MOST]]
        more = [f"  … and {len(found) - _MOST:,} more"] if len(found) > _MOST else []
        raise SurgeryError("\n".join([f"{selector!r} matches {len(found):,} instances; name one:", *shown, *more]))
    # Refuses an instance without attributes.
    with_attributes(snapshot, found, lambda _obj, old: old)
    current, addr = found[0].current, found[0].addr
    assert current is not None
    assert current.attributes is not None
    assert current.origin is not None
    block, number = current.origin
    text = text_of_value(bytes(current.attributes))

    def edit(snapshot: Snapshot, edited: bytes) -> Edit:
        if edited == text.shown:
            return Edit(snapshot)
        try:
            msgspec.json.decode(edited, type=dict[str, Raw])
            loads_exact(edited)
        except msgspec.ValidationError as error:
            raise SurgeryError(f"{addr}: the attributes must be a JSON object", address=addr) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            problem = json_problem(edited, error)
            raise SurgeryError(f"{addr}: the edited text is not JSON: {problem}", address=addr) from error
        except (ValueError, RecursionError) as error:
            raise SurgeryError(f"{addr}: the edited text is not JSON: {error}", address=addr) from error
        return with_attributes(snapshot, found, lambda _obj, _old: text.restored(edited))

    return _Subject(
        text,
        lambda edited: surgical(lambda snapshot: edit(snapshot, edited), references),
        f"/resources/{block}/instances/{number}/attributes",
    )


def listed_defects(handle: StateHandle, references: ProviderReferences | None, *, show_sensitive: bool) -> FoundDefects:
    """Return the defects of a state, read anew; see `State.defects()`."""
    handle.refuse_nested()
    with located(handle.location):
        data = handle.context.read(handle.location)
        found = loaded_to_repair(handle.context, handle.location, data)
        return found_defects(found, references, show_sensitive=show_sensitive)


def repaired(
    handle: StateHandle,
    options: EditOptions,
    decisions: Sequence[Decision],
    ask: Callable[[Defect], str | None] | None,
    references: ProviderReferences | None,
    *,
    show_sensitive: bool,
    agreed: Callable[[RepairResult], bool],
    written: Callable[[RepairResult], None],
) -> RepairResult:
    """Repair a state in one edit; see `State.repair()`."""
    ended: list[RepairResult] = []

    def was_written(result: RepairResult, kept: str | None) -> None:
        ended.append(replace(result, backup=None if kept is None else Path(kept), written=True))
        written(ended[0])

    def opening(data: bytes) -> LoadedState:
        return loaded_to_repair(handle.context, handle.location, data)

    # While the user decides, a signal must not leave the lock behind.
    signals = nullcontext() if ask is None else interruptible()
    with signals, handle.opened(options, opening) as opened:
        proposal = opened.proposed(repairing(decisions, ask, references, show_sensitive=show_sensitive))
        was_agreed = opened.commit(proposal, agreed=agreed, written=was_written)
    if options.in_place and was_agreed:
        handle.store.tidy()
    return ended[0] if ended else proposal.outcome


_DAMAGED = "the state was damaged, so everything in it counts as added"
_LAYOUT = "only the layout of the file changes, so the serial stays"


def replaced_by(
    text: EditableText, edited: bytes, *, is_damaged: bool = False, references: ProviderReferences | None = None
) -> Operation[EditOutcome]:
    """Return the operation that replaces a state with its edited text, byte for byte except for the serial.

    The serial rises by one if anything but the layout changes, unless the text has a higher one. If `is_damaged`, the
    old content is unreadable: the changes then count from an empty state, with the old serial and lineage as far as
    they are readable. With `references`, the result is also compared with a configuration. The operation raises
    StateFileError if the edited text is not a readable state, SurgeryError if its format version or lineage differs or
    its serial is lower, and StoreError if there is no higher serial.
    """

    content = text.restored(edited)

    def propose(state: LoadedState) -> Proposal[EditOutcome]:
        before = state.result.snapshot
        if content == state.data:
            unchanged = EditOutcome(Edit(before), diff(before, before), before.serial)
            return Proposal(unchanged, [Span(0, len(content))], check=False)
        result = _readable(state, content)
        _refuse_another_state(before, result, edited)
        if result.snapshot.serial > before.serial or is_same_json(state.data, content):
            new = content
        else:
            new = with_serial(content, with_next_serial(before, state.name).serial)
        after = _readable(state, new).snapshot
        changes = diff(before, after)
        notes = (_DAMAGED,) if is_damaged else () if after.serial > before.serial else (_LAYOUT,)
        findings = () if is_damaged else _added(state, after, changes, new, references)
        return Proposal(EditOutcome(Edit(after, notes=notes), changes, after.serial, findings), [new])

    return propose


def refuse_older_format(state: LoadedState) -> None:
    """Raise StoreError if a state has a format version that no current release writes."""
    if state.result.version != CURRENT_VERSION:
        raise StoreError(
            f"{display_name(state.name)}: cannot edit format version {state.result.version}, which no current release "
            "writes; ",
            Wording("run statetool upgrade first", "call State.upgrade() first"),
        )


def _readable(state: LoadedState, content: bytes) -> ReadResult:
    try:
        return read(content)
    except StateError as error:
        raise StateFileError(f"{display_name(state.name)} (as edited, not written)", error) from error


def _refuse_another_state(before: Snapshot, result: ReadResult, edited: bytes) -> None:
    after = result.snapshot

    def line(member: str) -> str:
        pointer = f"/{member}"
        return f"line {positions(edited, [pointer])[pointer].line}"

    if result.version != CURRENT_VERSION:
        raise SurgeryError(
            f"{line('version')}: the edited state has format version {result.version}, not {CURRENT_VERSION}; "
            "`statetool downgrade` writes states for older releases"
        )
    if before.lineage and after.lineage != before.lineage:
        raise SurgeryError(
            f"{line('lineage')}: the edit changes the lineage from {printable(before.lineage)} to "
            f"{printable(after.lineage) or 'nothing'}, which makes this another state; `statetool new-lineage` does so "
            "if it is intended"
        )
    if after.serial < before.serial:
        raise SurgeryError(
            f"{line('serial')}: the edit lowers the serial from {before.serial} to {after.serial}; `statetool "
            "set-serial` does so if it is intended. An edit raises the serial by itself"
        )


def _added(
    state: LoadedState, after: Snapshot, changes: SnapshotDiff, new: bytes, references: ProviderReferences | None
) -> tuple[Finding, ...]:
    """Return the warnings that the edit adds."""
    if not changes:
        return ()

    def content(version: Snapshot) -> bytes:
        if version is after or version.source is None:
            return new
        return joined(version.source.data, Splicer(version.source).pieces(version))

    return edit_findings(state, after, Edit(after), content, references)[1]


_WIDTH = 2
# msgspec's name for the layout without white space.
_COMPACT = -1
_SPACE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"


class EditableText(Struct, frozen=True):
    """JSON as it is stored, and as an editor shows it.

    Numbers, escapes, the order of members and repeated members are the same in both; only white space differs.
    `is_laid_out` if `shown` is another layout of `stored`, to which `restored()` goes back.
    """

    stored: bytes
    shown: bytes
    is_laid_out: bool = False

    def __repr__(self) -> str:
        # Keep secrets out of logs and tracebacks.
        return "EditableText()"

    def restored(self, edited: bytes) -> bytes:
        """Return what to store for the edited text. Text that is not JSON is returned as it is, without a BOM.

        Trailing white space, and line ends if all of them changed, are taken from the stored text: editors change both.
        """
        if edited == self.shown:
            return self.stored
        if not self.shown.startswith(_BOM):
            edited = edited.removeprefix(_BOM)
        body = edited.rstrip(_SPACE)
        if not body:
            return b""
        if self.is_laid_out:
            try:
                body = msgspec.json.format(body, indent=_COMPACT)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                return edited
        elif b"\r" not in self.shown and body.count(b"\r\n") == body.count(b"\n"):
            # JSON strings have no line ends.
            body = body.replace(b"\r\n", b"\n")
        return body + _end(self.stored)


def text_of_state(data: bytes) -> EditableText:
    """Return the text of a state: a state on one line is indented, any other text is shown as it is.

    A state with an unusual layout on one line is shown as it is as well: it could not be restored byte for byte.
    """
    if style_of(data).layout is Layout.COMPACT:
        try:
            shown = msgspec.json.format(data, indent=_WIDTH)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return EditableText(data, data)
        if msgspec.json.format(shown, indent=_COMPACT) + _end(data) == data:
            return EditableText(data, shown + b"\n", is_laid_out=True)
    return EditableText(data, data)


def text_of_value(raw: bytes) -> EditableText:
    """Return the text of a JSON value inside of a state, indented from the first column."""
    return EditableText(raw, msgspec.json.format(raw, indent=_WIDTH) + b"\n", is_laid_out=True)


def is_same_json(one: bytes, other: bytes) -> bool:
    """Return whether two texts differ in white space only; False if one is not JSON."""
    try:
        return msgspec.json.format(one, indent=_COMPACT) == msgspec.json.format(other, indent=_COMPACT)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _end(data: bytes) -> bytes:
    """Return the trailing white space."""
    return data[len(data.rstrip(_SPACE)) :]


# The most addresses that a message lists.
_MOST = 5
