"""`statetool restore`: puts a backup back in place of a state, as a new state."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from statefmt import Edit, EditResult, EncryptionError, Snapshot, StoreError, SurgeryError, Transaction
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import state_name
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.options.write import store_of
from statefmt.cli.run import run_context
from statefmt.cli.surgery import Editing, SurgeryOptions, carry_out, surgery_options
from statefmt.edit.added_findings import refuse_new_errors
from statefmt.edit.operations.undo import damage, loaded_to_replace, with_serial
from statefmt.edit.pipeline import EditOptions, opened_edit
from statefmt.edit.session import LoadedState, StateFileError, load
from statefmt.edit.transfers import joining
from statefmt.library.transaction import transaction
from statefmt.locations import STANDARD_INPUT, RemoteName, display_name
from statefmt.operations import restore, with_note
from statefmt.store.protocol import Store, standard_input
from statefmt.text import printable

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.providers import ProviderReferences


@examples(
    ("Show what restoring Terraform's backup would change.", "statetool restore terraform.tfstate.backup --dry-run"),
    ("Put a backup back.", "statetool restore terraform.tfstate.1700000000.backup"),
    (
        "Put back the state from the last commit.",
        "git show HEAD:terraform.tfstate | statetool restore - terraform.tfstate --yes",
    ),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=surgery_options)
def restore_command(
    source: Annotated[
        str, Argument(metavar="BACKUP", help="A backup of the state, by any program; - for standard input.")
    ],
    state: StateArgument = None,
    state_option: StateOption = None,
    *,
    options: SurgeryOptions,
) -> int:
    """Put a backup back in place of a state.

    The backup may be by statetool, OpenTofu or Terraform, of any format version, and encrypted; it stays unchanged. The
    state gets the backup's content with a serial higher than both. The state may be damaged or missing: what it
    contained is kept like that of any edit.
    """
    context = run_context()
    name = state_name(one_state(state, state_option))
    if name == STANDARD_INPUT:
        raise StoreError("standard input cannot be restored; name the file with --state")
    # Before the lock is taken: if the backup is the state under another name, closing it would drop the lock.
    backup = load(context, source)
    edit = replace(options.write, operation="restore")
    if isinstance(name, RemoteName) or os.path.lexists(name):
        operation, editing = _in_place_of(name, backup, edit)
        return carry_out("restore", operation, options, state=name, asks=True, editing=editing)
    if options.write.expect_serial is not None or options.write.expect_hash is not None:
        raise StoreError(
            f"{name}: there is no such file, so it does not have the expected content; nothing was written"
        )
    operation, editing = _anew(name, backup, edit)
    return carry_out("restore", operation, options, state=name, editing=editing, creates=True)


def _in_place_of(name: str, backup: LoadedState, options: EditOptions) -> tuple[Callable[[Snapshot], Edit], Editing]:
    """Return the operation that replaces the content of a state, and the function that opens the edit."""
    current: list[LoadedState] = []
    errors: list[StateFileError | EncryptionError] = []

    def opening(data: bytes) -> LoadedState:
        state, error = loaded_to_replace(run_context(), name, data, backup)
        if error is not None and options.expect_serial is not None:
            raise StoreError(
                f"{name}: the state is damaged, so its serial cannot be compared with {options.expect_serial}; "
                "nothing was written. Use --expect-hash instead"
            ) from error
        current.append(state)
        errors.extend([error] if error else [])
        return state

    def operation(snapshot: Snapshot) -> Edit:
        _refuse_other_lineage(current[0], name, backup)
        if not errors and with_serial(backup.data, snapshot.serial) == current[0].data:
            return Edit(snapshot)
        try:
            refuse_new_errors(current[0], backup.data)
        except StateFileError as error:
            where = (
                f"{display_name(backup.name)} (not restored; to restore it in spite of these errors, move {name} away)"
            )
            raise StateFileError(where, error) from error
        edit = restore(snapshot, backup.data)
        if backup.seal is not None and current[0].seal is None:
            edit = with_note(edit, f"the backup is encrypted; {printable(name)} is in plain text, and so is the result")
        if not errors:
            return edit
        note = f"{printable(name)} is damaged, so everything in the backup counts as added. The damage:"
        return with_note(edit, f"{note} {damage(errors[0])}")

    return operation, partial(_editing, options, _store(name), opening)


def _anew(name: str, backup: LoadedState, options: EditOptions) -> tuple[Callable[[Snapshot], Edit], Editing]:
    """Return the operation that creates a missing state, and the function that opens the edit."""

    def operation(snapshot: Snapshot) -> Edit:
        note = f"{printable(name)} does not exist, so this compares the backup with what is restored"
        return with_note(restore(snapshot, backup.data), note)

    if options.out is None:
        # If the state exists by now, the user has not agreed to replace it.
        options = replace(options, out=name, yes=False, keep_backup=True)
    source = standard_input(lambda: backup.stored, backup.name)
    return operation, partial(_editing, options, source, lambda _: backup)


@contextmanager
def _editing(
    options: EditOptions,
    store: Store,
    opening: Callable[[bytes], LoadedState],
    references: ProviderReferences | None,
    written: Callable[[EditResult], None],
) -> Iterator[Transaction]:
    """Open an edit of a state that cannot be opened in the usual way."""
    with (
        opened_edit(run_context(), store, options, opening=opening) as opened,
        transaction(opened, references, written) as edit,
    ):
        yield edit
    if options.in_place and not edit.is_cancelled:
        store.tidy()


def _store(name: str) -> Store:
    # Imported late, like in store_of().
    from statefmt.store.local.store import LocalFile

    store = store_of(name)
    return replace(store, even_torn=True) if isinstance(store, LocalFile) else store


def _refuse_other_lineage(state: LoadedState, name: str, backup: LoadedState) -> None:
    lineage, theirs = state.result.snapshot.lineage, backup.result.snapshot.lineage
    if lineage and theirs and lineage != theirs:
        offered = joining(backup, state)
        snapshot, away = state.result.snapshot, ""
        if not isinstance(name, RemoteName) and (snapshot.resources or snapshot.outputs or not offered.on_command_line):
            away = f" To use it nevertheless, move {name} away first: restore then creates the state"
        raise SurgeryError(
            f"{display_name(backup.name)}: this is a backup of another state: its lineage is {printable(theirs)}, "
            f"that of {name} is {printable(lineage)}; nothing was written.",
            away or offered,
        )
