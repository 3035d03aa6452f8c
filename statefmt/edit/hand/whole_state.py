"""Replaces the whole text of a state with the text that a person edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.analysis.diff import diff
from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.edit.added_findings import edit_findings
from statefmt.edit.changes.edit import Edit
from statefmt.edit.hand.text import EditableText, is_same_json
from statefmt.edit.operations.restore import with_serial
from statefmt.edit.pipeline import Operation, Proposal
from statefmt.edit.session import LoadedState, StateFileError, with_next_serial
from statefmt.edit.surgical import EditOutcome
from statefmt.formats.raw_json.positions import positions
from statefmt.formats.reading import CURRENT_VERSION, ReadResult, read
from statefmt.formats.writing.write import Splicer
from statefmt.model.errors import StateError, StoreError, SurgeryError, Wording
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot
from statefmt.pieces import Span, joined
from statefmt.store.reading import display_name
from statefmt.text import printable

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences

_DAMAGED = "the state was damaged, so everything in it counts as added"
_LAYOUT = "only the layout of the file changes, so the serial stays"


def replaced_by(
    text: EditableText, edited: bytes, *, is_damaged: bool = False, references: ProviderReferences | None = None
) -> Operation[EditOutcome]:
    """Return the operation that replaces a state with its edited text, byte for byte except for the serial.

    The serial rises by one if anything but the layout changes, unless the text has a higher one. `is_damaged` if the
    old content is not readable: the changes then count from an empty state, with what could be read of its serial and
    lineage. With `references`, the result is also compared with a configuration. The operation raises StateFileError
    if the edited text is not a readable state, SurgeryError if its format version or lineage is another one or its
    serial is lower, and StoreError if there is no higher serial.
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

    return edit_findings(state, after, Edit(after), content, references).shown
