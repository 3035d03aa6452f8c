"""An operation on a snapshot as an operation of the pipeline: what changed, and the pieces of the new content."""

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
    """What an operation did, or would do: `changes` is empty where that is nothing."""

    edit: Edit
    changes: SnapshotDiff


def surgical(operation: Callable[[Snapshot], Edit]) -> Operation[EditOutcome]:
    """The operation with its comparison. The serial rises by one if anything changes."""

    def propose(state: LoadedState) -> Proposal[EditOutcome]:
        before = state.result.snapshot
        edit = operation(before)
        if edit.restored is not None:
            # It is put back as it was, whatever is wrong with it.
            return Proposal(EditOutcome(edit, diff(before, edit.snapshot)), [edit.restored], check=False)
        changes = diff(before, edit.snapshot, exact=True, moved=edit.moved)
        if not changes:
            return Proposal(EditOutcome(edit, changes), [Span(0, len(state.data))], check=False)
        after = with_next_serial(edit.snapshot, state.name) if edit.snapshot.serial == before.serial else edit.snapshot
        splicer = _splicer(state)
        pieces = splicer.pieces(after)
        part = edited_part(before, after)
        # What was not edited need not be looked at, unless there is something to be found.
        check = part is None or bool(error_findings(inspect(joined(state.data, splicer.pieces(part)))))
        return Proposal(EditOutcome(edit, diff(before, after, moved=edit.moved)), pieces, check=check, moved=edit.moved)

    return propose


def _splicer(state: LoadedState) -> Splicer:
    source = state.result.snapshot.source
    if source is None:
        raise StoreError(
            f"{display_name(state.name)}: this state has format version {state.result.version}, which no release "
            "writes any more; statetool upgrade makes it one of version 4"
        )
    return Splicer(source)
