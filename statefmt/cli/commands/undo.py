"""`statetool undo`: restores the content before an edit, as a new state."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from typer import BadParameter, Option

import statefmt
from statefmt import Edit, HistoryEntry, Snapshot, SurgeryError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.many_states import end_together, undo_all
from statefmt.cli.named_state import state_name
from statefmt.cli.options.encryption import encryption_words
from statefmt.cli.options.ending import ending_options
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.options.write import store_of
from statefmt.cli.run import run_context
from statefmt.cli.surgery import SurgeryOptions, carry_out, surgery_options
from statefmt.edit.operations.undo import undo_request
from statefmt.edit.transactions.by_history import undone_alone
from statefmt.locations import state_words, version_name
from statefmt.operations import restore, with_note
from statefmt.operations_files import Ending
from statefmt.text import printable, shell_line


@examples(
    ("Undo the last edit.", "statetool undo"),
    ("Show what undoing edit 2 and all later ones would change.", "statetool undo --to 2 --dry-run"),
    ("Restore a version that the bucket of the state keeps.", "statetool undo --version 3HL4kqtJlcpXroDTDmJ"),
    ("After a crash, finish the undo of an apply over several states.", "statetool undo --resume"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(ending=ending_options, options=surgery_options)
def undo_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    to: Annotated[
        int | None, Option("--to", metavar="EDIT", help="Undo this edit and all later ones; default: only the last.")
    ] = None,
    discard_changes: Annotated[
        bool, Option("--discard-changes", help="Undo even if something else has changed the state since.")
    ] = False,
    version: Annotated[
        str | None, Option(metavar="ID", help="Restore this version instead, which `statetool versions` lists.")
    ] = None,
    only: Annotated[bool, Option("--only", help="Undo an edit of several states in this state only.")] = False,
    *,
    ending: Ending | None,
    options: SurgeryOptions,
) -> int:
    """Undo the last edit that statetool made to a state, or a given edit and all later ones.

    The restored content gets a new, higher serial. An undo is an edit, too: a second undo reverts the first.
    An edit of several states is undone in all of them or, if another one has later edits of its own, in none.
    With --only, the command says first which objects would be in two states or in none.
    With --version, restore a version that the service of the backend keeps, whoever wrote it.
    """
    if ending is not None:
        others = {"--to": to is not None, "--version": version is not None, "--only": only}
        others["--discard-changes"] = discard_changes
        return end_together(state_name(one_state(state, state_option)), ending, options, others)
    if version is not None:
        if to is not None or discard_changes or only:
            raise BadParameter("cannot be combined with --to, --discard-changes or --only", param_hint="--version")
        return _restore(one_state(state, state_option), version, options)
    name = state_name(one_state(state, state_option))
    undo = undo_request(store_of(name), to)
    words = state_words(name)
    words = words if state or state_option else words[len(("--state", name)) :]
    further = _further(undo.earlier, shell_line((*words, *encryption_words())))
    if undo.joint and not only:
        return undo_all(name, to, options, further, discard_changes=discard_changes)
    if not discard_changes:
        undo.refuse_foreign()
    entry, last = undo.entry, undo.last

    def operation(snapshot: Snapshot) -> Edit:
        edit = undo.edit(run_context(), snapshot, discards_changes=discard_changes)
        edit = with_note(edit, f"content as before edit {entry.number} ({printable(entry.command)})")
        return undone_alone(run_context(), name, undo, snapshot, edit)

    changed = (
        f"something else has changed the state since edit {last.number} ({last.command}); nothing was written. "
        "Use --discard-changes to undo anyway; the current content is kept in a backup"
    )
    if not (discard_changes or options.write.expect_hash):
        options = options._replace(write=replace(options.write, expect_hash=last.after, changed=changed))
    hint = f"`{shell_line(('statetool', 'undo', *words, *encryption_words()))}` now reverts this undo{further}"
    return carry_out("undo", operation, options, state=name, asks=bool(undo.joint), even_damaged=True, hint=hint)


def _restore(state: str | None, version_id: str, options: SurgeryOptions) -> int:
    """Restore a version of a state that its service keeps. Raises the errors of `carry_out`."""
    earlier = statefmt.open(version_name(run_context(), version_id, state), context=run_context())
    name = state_name(state)

    def operation(snapshot: Snapshot) -> Edit:
        if earlier.lineage != snapshot.lineage:
            raise SurgeryError(
                f"{printable(earlier.location)} has the lineage {_quoted(earlier.lineage)}, and the state has "
                f"{_quoted(snapshot.lineage)}: they are not versions of one state"
            )
        return with_note(restore(snapshot, earlier.data), f"content of version {printable(version_id)}")

    return carry_out("undo", operation, options, state=name, even_damaged=True)


def _quoted(lineage: str) -> str:
    return f"'{printable(lineage)}'"


def _further(earlier: HistoryEntry | None, state: str) -> str:
    """Return advice on undoing further, if there is an earlier edit."""
    if earlier is None:
        return ""
    named = f" {state}" if state else ""
    return f"; `statetool undo --to {earlier.number}{named}` also undoes edit {earlier.number} ({earlier.command})"
