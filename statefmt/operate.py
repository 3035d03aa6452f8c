"""One operation on one state, as a transaction: lock, read, operate, compare, check, commit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from statefmt.comparison import SnapshotDiff, diff
from statefmt.context import RunContext
from statefmt.errors import StoreError
from statefmt.rules.edited_part import edited_part
from statefmt.session import (
    LoadedState,
    Written,
    error_findings,
    loaded,
    refuse_new_errors,
    with_next_serial,
    write_new,
)
from statefmt.statefile.assemble import Pieces, joined
from statefmt.statefile.spans import Span
from statefmt.statefile.splice import Splicer
from statefmt.states import Snapshot
from statefmt.store.durable import signals_held_back
from statefmt.store.history_contents import compress_one
from statefmt.store.journal import checksum
from statefmt.store.reading import STANDARD_INPUT, display_name
from statefmt.store.transaction import open_state
from statefmt.surgery.edit import Edit


@dataclass(frozen=True, slots=True)
class Terms:
    """On what state, and how, an operation is done.

    `operation` is its name, and `command` what was typed, for the lock and the history. `out` is where the result goes,
    None for back to the file; what stood there goes into a backup, if `keeps_replaced`. `timeout` is in seconds. With
    `serial` or `checksum` (SHA-256 in hexadecimal digits), the state must have just these; `changed` is what to say
    where the content is another.
    """

    name: str
    operation: str
    command: str
    out: str | None = None
    backup: Path | None = None
    keeps_replaced: bool = True
    dry_run: bool = False
    lock: bool = True
    timeout: float = 0
    replace: bool = False
    serial: int | None = None
    checksum: str | None = None
    changed: str = "the content is not what was expected: it was changed; nothing was done"

    @property
    def in_place(self) -> bool:
        """Whether the state's own file is written."""
        return self.out is None and self.name != STANDARD_INPUT and not self.dry_run


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an operation did, or would do: `changes` is empty where that is nothing."""

    edit: Edit
    changes: SnapshotDiff


def operate(
    context: RunContext,
    terms: Terms,
    operation: Callable[[Snapshot], Edit],
    agreed: Callable[[Outcome], bool],
    written: Written = lambda _: None,
) -> Outcome:
    """Do an operation on a state, and write the result unless it is a dry run.

    The serial rises by one if anything changes. `agreed` is asked before a file is written over; nothing is written
    where it says no. `written` is called at once when something was. Raises StatetoolError, with every file as
    it was, where the state cannot be read or written, is locked, is not the one that was expected, where the operation
    refuses, and where it would add an error finding.
    """
    if not terms.in_place:
        state = _expected(loaded(context, terms.name, context.read(terms.name)), terms)
        outcome, pieces = _done(state, operation)
        if not terms.dry_run:
            content = state.to_store(joined(state.data, pieces))
            said = written if terms.keeps_replaced else _without_backup(written)
            write_new(context, terms.out or STANDARD_INPUT, content, terms.command, said, replace=terms.replace)
        return outcome
    path = Path(terms.name)
    info = context.lock_info(path, terms.operation, terms.command)
    with open_state(path, info, context.note, timeout=terms.timeout, lock=terms.lock) as opened:
        state = _expected(loaded(context, terms.name, opened.data), terms)
        outcome, pieces = _done(state, operation)
        if pieces not in ([Span(0, len(state.data))], [state.data]) and agreed(outcome):
            # The pieces of an encrypted state are plain, and would be so in the journal.
            new = pieces if state.seal is None else state.to_store(joined(state.data, pieces))
            # Else a signal that waited for the end of the write would come before the message.
            with signals_held_back():
                backup = opened.commit(new, backup=terms.backup, now=int(context.clock().timestamp()))
                if backup is not None:
                    written(backup)
    compress_one(path)
    return outcome


def _without_backup(written: Written) -> Written:
    """The same for a file of which nothing is to be kept: its backup goes once all is written, if it can go."""

    def said(backup: Path | None) -> None:
        if backup is not None:
            with suppress(OSError):
                backup.unlink()
                backup = None
        written(backup)

    return said


def _expected(state: LoadedState, terms: Terms) -> LoadedState:
    """The state, if it is the one that was expected."""
    name = display_name(state.name)
    serial = state.result.snapshot.serial
    if terms.serial not in (None, serial):
        raise StoreError(
            f"{name}: the serial is {serial} and not {terms.serial}: somebody changed it; nothing was done"
        )
    if terms.checksum and checksum(state.stored) != terms.checksum.lower():
        raise StoreError(f"{name}: {terms.changed}")
    return state


def _done(state: LoadedState, operation: Callable[[Snapshot], Edit]) -> tuple[Outcome, Pieces]:
    """What the operation does, and the pieces of the new content. Raises StatetoolError where it may not be."""
    before = state.result.snapshot
    edit = operation(before)
    if edit.restored is not None:
        return Outcome(edit, diff(before, edit.snapshot)), [edit.restored]
    changes = diff(before, edit.snapshot, exact=True)
    if not changes:
        return Outcome(edit, changes), [Span(0, len(state.data))]
    after = with_next_serial(edit.snapshot, state.name) if edit.snapshot.serial == before.serial else edit.snapshot
    splicer = _splicer(state)
    pieces = splicer.pieces(after)
    part = edited_part(before, after)
    # What was not edited need not be looked at, unless there is something to be found.
    if part is None or error_findings(joined(state.data, splicer.pieces(part))):
        refuse_new_errors(state, joined(state.data, pieces), edit.moved)
    return Outcome(edit, diff(before, after)), pieces


def _splicer(state: LoadedState) -> Splicer:
    source = state.result.snapshot.source
    if source is None:
        raise StoreError(
            f"{display_name(state.name)}: this state has format version {state.result.version}, which no release "
            "writes any more; statetool upgrade makes it one of version 4"
        )
    return Splicer(source)
