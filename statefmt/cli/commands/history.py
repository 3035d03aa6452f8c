"""`statetool history`: shows the edits that statetool made to a state, and deletes old ones with their backups."""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from typing import Annotated

from typer import BadParameter, Option

from statefmt import StoreError
from statefmt.cli.command import declared, examples
from statefmt.cli.named_state import state_name
from statefmt.cli.options.shared import (
    AGE,
    FormatOption,
    OutputFormat,
    StateArgument,
    StateOption,
    YesOption,
    one_state,
    seconds,
)
from statefmt.cli.outcome import FAILED, FINE, show_failure
from statefmt.cli.run import command_line, run_context
from statefmt.cli.streams import confirmed, result_terminal, say
from statefmt.edit.session import history_at, store_at
from statefmt.locations import STANDARD_INPUT, RemoteName, display_name
from statefmt.store.local.history import History
from statefmt.store.local.journal import checksum
from statefmt.store.local.recording import EditHistory


@examples(
    ("Show the edits of the current state.", "statetool history"),
    ("Save the state as it was before edit 3.", "statetool history --content 3 > before.tfstate"),
    ("Show which old backups would be deleted.", "statetool history --prune --older-than 30d --dry-run"),
    ("Keep the last five edits and their backups, now and from now on.", "statetool history --prune --keep 5"),
)
@declared(paged=True, decrypts=False, connects=True)
def history_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    content: Annotated[
        int | None, Option(metavar="EDIT", help="Print the exact content of the state before this edit.")
    ] = None,
    keep: Annotated[int | None, Option(metavar="N", min=1, help="Keep N edits from now on; initially 20.")] = None,
    prune: Annotated[
        bool, Option("--prune", help="Delete older edits, and the backups that statetool made before them.")
    ] = False,
    older_than: Annotated[
        str | None, Option(metavar="AGE", help="With --prune: delete by age instead, such as 12h, 30d or 8w.")
    ] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="With --prune: list what would be deleted, but delete nothing.")
    ] = False,
    yes: YesOption = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show the edits that statetool made to a state and that undo can revert, newest first.

    With --prune, delete old edits for good. Backups by OpenTofu and Terraform, those named with --backup, and all that
    the history does not record stay.
    """
    name = state_name(one_state(state, state_option))
    if name == STANDARD_INPUT:
        raise StoreError("standard input has no history; name a file")
    edits = history_at(run_context(), name)
    if content is not None:
        if keep is not None or prune or output_format is OutputFormat.JSON:
            raise BadParameter("cannot be combined with --keep, --prune or --format", param_hint="--content")
        sys.stdout.buffer.write(_content_before(name, edits, content))
        return FINE
    for given, option in ((older_than is not None, "--older-than"), (dry_run, "--dry-run")):
        if given and not prune:
            raise BadParameter("requires --prune", param_hint=option)
    if prune:
        if keep is not None and older_than is not None:
            raise BadParameter("cannot be combined with --keep", param_hint="--older-than")
        if output_format is OutputFormat.JSON:
            raise BadParameter("cannot be combined with --prune", param_hint="--format")
        return _prune(name, edits, keep, _age(older_than), dry_run=dry_run, yes=yes)
    if keep is not None:
        edits.keep(keep, run_context().lock_info(name, "history", command_line()))
    problem = _settled(name)
    edits.compress()
    history = edits.load()
    changed = _changed(name, history, problem) if history.entries or problem else False
    if output_format is OutputFormat.JSON:
        from statefmt.render.history import history_json

        sys.stdout.buffer.write(history_json(history, changed=changed))
    elif history.entries:
        from statefmt.render.history import history_text

        where = name if isinstance(name, RemoteName) else os.path.realpath(name)
        print(history_text(history, result_terminal(), changed=changed, state=where))
    elif not isinstance(name, RemoteName) and not os.path.lexists(name):
        raise StoreError(f"{display_name(name)}: there is no such file, and no edits by statetool are recorded")
    else:
        say(f"statetool: {name}: no edits by statetool are recorded")
    return FINE


def _settled(name: str) -> StoreError | None:
    """Resolve an edit of unknown outcome in a backend; return the error if that fails."""
    if isinstance(name, RemoteName):
        try:
            store_at(run_context(), name).versions()
        except StoreError as error:
            return error
    return None


def _changed(name: str, history: History, problem: StoreError | None) -> bool | None:
    """Return whether another program has changed the state; None if its backend cannot be asked."""
    try:
        if problem is not None:
            raise problem
        return checksum(run_context().read(name)) != history.entries[-1].after
    except StoreError as error:
        if not isinstance(name, RemoteName):
            raise
        # The history is on this machine, and most useful when the backend is unavailable.
        show_failure(error)
        say("statetool: whether something else has changed the state since the last edit is not known")
        return None


def _content_before(name: str, edits: EditHistory, number: int) -> bytes:
    entries = edits.load().entries
    found = next((entry for entry in entries if entry.number == number), None)
    if found is None:
        raise StoreError(f"{name}: there is no edit {number}; `statetool history` lists the edits")
    return edits.content(found.before)


def _age(text: str | None) -> timedelta | None:
    return None if text is None else timedelta(seconds=seconds(text, "--older-than", AGE))


def _prune(name: str, edits: EditHistory, keep: int | None, age: timedelta | None, *, dry_run: bool, yes: bool) -> int:
    """Show the effect of pruning, ask, prune, and return the exit status."""
    from statefmt.render.history import pruned_summary, pruning_text

    context = run_context()
    pruning = edits.pruning(keep=keep, since=None if age is None else context.clock() - age)
    print(pruning_text(pruning, result_terminal()))
    sys.stdout.flush()
    if dry_run:
        say(f"{name}: dry run; nothing was deleted")
        return FINE
    advice = "Use --dry-run to see what would be deleted, or --yes to delete it"
    if pruning.deletes and not (yes or confirmed("Delete this for good?", f"{name}: --prune", "deleted", advice)):
        say(f"{name}: nothing was deleted")
        return FAILED
    edits.prune(pruning, keep, context.lock_info(name, "history", command_line()))
    if pruning.deletes:
        say(f"{name}: deleted {pruned_summary(pruning)}")
    return FINE
