"""Adapts an operation on a snapshot to the pipeline: computes the differences and the pieces of the new content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from statefmt.analysis.diff import SnapshotDiff, diff
from statefmt.edit.changes.edit import Edit
from statefmt.edit.pipeline import Operation, Proposal
from statefmt.edit.session import LoadedState, error_findings, with_next_serial
from statefmt.formats.reading.inspect import inspect
from statefmt.formats.writing.splice import Splicer
from statefmt.lint.edited_part import edited_part
from statefmt.model.errors import StoreError
from statefmt.model.snapshot import Snapshot
from statefmt.pieces import Span, joined
from statefmt.store.reading import display_name


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """The result of an operation or of its dry run; `changes` is empty if nothing changed."""

    edit: Edit
    changes: SnapshotDiff


def surgical(operation: Callable[[Snapshot], Edit]) -> Operation[EditOutcome]:
    """Adapt an operation to the pipeline. The serial rises by one if anything changes."""

    def propose(state: LoadedState) -> Proposal[EditOutcome]:
        before = state.result.snapshot
        edit = operation(before)
        if edit.restored is not None:
            # An earlier content is restored even if it has errors.
            changes = diff(before, edit.snapshot, versions=(state.result.version, edit.restored_version))
            return Proposal(EditOutcome(edit, changes), [edit.restored], check=False)
        changes = diff(before, edit.snapshot, exact=True, moved=edit.moved)
        if not changes:
            return Proposal(EditOutcome(edit, changes), [Span(0, len(state.data))], check=False)
        after = with_next_serial(edit.snapshot, state.name) if edit.snapshot.serial == before.serial else edit.snapshot
        splicer = _splicer(state)
        pieces = splicer.pieces(after)
        part = edited_part(before, after)
        # Check the whole state only if the edited part has errors: that takes less time.
        check = part is None or bool(error_findings(inspect(joined(state.data, splicer.pieces(part)))))
        return Proposal(EditOutcome(edit, diff(before, after, moved=edit.moved)), pieces, check=check, moved=edit.moved)

    return propose


def _splicer(state: LoadedState) -> Splicer:
    source = state.result.snapshot.source
    if source is None:
        raise StoreError(
            f"{display_name(state.name)}: cannot edit format version {state.result.version}, which no current release "
            "writes; run statetool upgrade first"
        )
    return Splicer(source)
