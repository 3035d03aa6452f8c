"""`statetool undo`: restores the content before an edit, as a new state."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Optional

import typer

from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import takes
from statefmt.cli.options.write import store_of
from statefmt.cli.run import run_context
from statefmt.cli.surgery import Plan, carry_out
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.restore import restore
from statefmt.edit.session import state_name
from statefmt.model.errors import StoreError
from statefmt.model.snapshot import Snapshot
from statefmt.render.printable import printable
from statefmt.sealed import opened
from statefmt.store.protocol import HistoryEntry, Store


@takes(options=surgery_options)
def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    to: Annotated[
        Optional[int],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--to", metavar="EDIT", help="Undo this edit and all later ones; default: only the last."),
    ] = None,
    discard_changes: Annotated[
        bool, typer.Option("--discard-changes", help="Undo even if something else has changed the file since.")
    ] = False,
    *,
    options: SurgeryOptions,
) -> int:
    """Undo the last edit that statetool made to a state, or a given edit and all later ones.

    The restored content gets a new, higher serial. An undo is an edit, too: a second undo reverts the first.
    """
    name = state_name(run_context(), one_state(state, state_option))
    store = store_of(name)
    entry, last = _entries(store, to)
    # Before the lock is taken: if a backup was moved in place of the state, both are the same file, and closing it
    # would drop the lock.
    content = store.content(entry.before)

    def operation(snapshot: Snapshot) -> Edit:
        opening = opened(run_context(), name, content)
        note = f"content as before edit {entry.number} ({printable(entry.command)})"
        return replace(restore(snapshot, content if opening is None else opening.plain), notes=(note,))

    changed = (
        f"something else has changed the file since edit {last.number} ({last.command}); nothing was written. "
        "Use --discard-changes to undo anyway; the current content is kept in a backup"
    )
    return carry_out(
        Plan("undo", operation, state=name, checksum=None if discard_changes else last.after, changed=changed), options
    )


def _entries(store: Store, number: int | None) -> tuple[HistoryEntry, HistoryEntry]:
    """Return the edit to undo, and the last one."""
    name, entries = store.name, store.versions()
    if not entries:
        raise StoreError(f"{name}: nothing to undo: no edits by statetool are recorded")
    found = [entry for entry in entries if number in (None, entry.number)]
    if not found:
        raise StoreError(
            f"{name}: there is no edit {number}; the history has edits {entries[0].number} to {entries[-1].number}: "
            "see `statetool history`"
        )
    return found[-1], entries[-1]
