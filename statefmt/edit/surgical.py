"""Adapts an operation on a snapshot to the pipeline: computes the differences and the pieces of the new content."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from statefmt.analysis.diff import diff, envelope_changes
from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.edit.added_findings import configuration_findings, edit_findings
from statefmt.edit.changes import Edit
from statefmt.edit.pipeline import Operation, Proposal
from statefmt.edit.session import LoadedState, repeated_members, with_next_serial
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.formats.writing.write import Splicer
from statefmt.model.errors import StoreError, Wording
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot
from statefmt.pieces import Span, joined
from statefmt.store.reading import display_name

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences


class EditOutcome(Struct, frozen=True):
    """The result of an operation or of its dry run; `changes` is empty if nothing changed.

    `findings` are the warnings that the edit adds and, with a configuration, the errors against it. `serial` is that of
    the result.
    """

    edit: Edit
    changes: SnapshotDiff
    serial: int
    findings: tuple[Finding, ...] = ()


def surgical(
    operation: Callable[[Snapshot], Edit], references: ProviderReferences | None = None
) -> Operation[EditOutcome]:
    """Adapt an operation to the pipeline. The serial rises by one if anything changes.

    With the `references` of a configuration, the edit is also checked against it.
    """

    def propose(state: LoadedState) -> Proposal[EditOutcome]:
        before = state.result.snapshot
        edit = operation(before)
        if edit.restored is not None:
            # An earlier content is restored even if it has errors.
            shown = configuration_findings(state, edit.restored, edit, references)
            changes = diff(before, edit.snapshot, versions=(state.result.version, edit.restored_version))
            outcome = EditOutcome(edit, changes, edit.snapshot.serial, shown)
            return Proposal(outcome, [edit.restored], check=False, undoes=edit.undoes)
        changes = diff(before, edit.snapshot, moved=edit.moved)
        if not changes and not diff(before, edit.snapshot, exact=True, moved=edit.moved):
            return Proposal(EditOutcome(edit, changes, before.serial), [Span(0, len(state.data))], check=False)
        after = with_next_serial(edit.snapshot, state.name) if edit.snapshot.serial == before.serial else edit.snapshot
        splicer = _splicer(state)
        pieces = splicer.pieces(after)

        def content(version: Snapshot) -> bytes:
            return joined(state.data, pieces if version is after else splicer.pieces(version))

        found = edit_findings(state, after, edit, content, references)
        changes = replace(changes, envelope=envelope_changes(before, after))
        outcome = EditOutcome(edit, changes, after.serial, found.shown)
        return Proposal(outcome, pieces, check=found.may_add_errors, moved=edit.moved, undoes=edit.undoes)

    return propose


def spliced(state: LoadedState, after: Snapshot) -> bytes:
    """Return the plain content of a snapshot that was made from that of a state. Raises StoreError."""
    return joined(state.data, _splicer(state).pieces(after))


def _splicer(state: LoadedState) -> Splicer:
    source = state.result.snapshot.source
    if source is None and state.result.version == CURRENT_VERSION:
        raise StoreError(f"{display_name(state.name)}: cannot edit this state: {repeated_members(state)}")
    if source is None:
        raise StoreError(
            f"{display_name(state.name)}: cannot edit format version {state.result.version}, which no current release "
            "writes; ",
            Wording("run statetool upgrade first", "call State.upgrade() first"),
        )
    return Splicer(source)
