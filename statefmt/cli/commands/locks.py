"""`statetool locks` and `unlock`: show who holds the locks of states, and remove a lock that somebody left."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Final

from typer import Argument, BadParameter, Option

from statefmt import StatetoolError, StoreError
from statefmt.backends import LockState, LockStatus, lock_states, remove_lock, workspace_names
from statefmt.cli.command import declared, examples
from statefmt.cli.named_state import named_folder, state_name
from statefmt.cli.options.shared import COMMON, FormatOption, OutputFormat, StateOption, StatesArgument
from statefmt.cli.outcome import FAILED, FINE, FOUND, show_failure
from statefmt.cli.run import run_context
from statefmt.cli.streams import confirmed, message_terminal, result_terminal, say
from statefmt.locations import RemoteName, display_name
from statefmt.render.stores import locks_json, locks_text


@examples(
    ("Show whether the state of this directory is locked, and by whom.", "statetool locks"),
    ("Show the locks of all workspaces.", "statetool locks --all-workspaces"),
    ("Print the ID of a lock, for `statetool unlock`.", "statetool locks --format json | jq -r '.states[0].lock.id'"),
)
@declared(paged=True, decrypts=False, connects=True)
def locks_command(
    states: StatesArgument = None,
    state_option: StateOption = None,
    all_workspaces: Annotated[
        bool, Option("--all-workspaces", help="Show the locks of all workspaces of the folder.")
    ] = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show who holds the locks of states, without taking any.

    Some backends cannot be asked, such as http: then the status is not known. The exit status is 1 if a state is
    locked, 0 if none is known to be, and 2 if one could not be asked.
    """
    found: list[LockState] = []
    failed = False
    for name in _names(states, state_option, all_workspaces):
        try:
            found += _locks_of(name)
        except StatetoolError as error:
            show_failure(error)
            failed = True
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(locks_json(found))
    elif found:
        print(locks_text(found, result_terminal()))
    if failed:
        return FAILED
    return FOUND if any(state.status is LockStatus.HELD for state in found) else FINE


def _locks_of(given: str | None) -> list[LockState]:
    """Return the lock of a state. Raises StoreError if it cannot be read, or if a named file does not exist."""
    name = state_name(given, to_read=True)
    found = lock_states(run_context(), [name])
    # A folder may have no state yet; a missing file without a lock is a wrong name.
    is_free_file = name == given and not isinstance(name, RemoteName) and found[0].status is LockStatus.FREE
    if is_free_file and not os.path.lexists(name):
        raise StoreError(f"{display_name(name)}: there is no such file")
    return found


def _names(states: list[str] | None, option: str | None, all_workspaces: bool) -> list[str | None]:
    if states and option is not None:
        raise BadParameter("name the states once, as arguments or with --state", param_hint="--state")
    named: list[str | None] = [*states] if states else [option]
    if not all_workspaces:
        return named
    return [name for folder in named for name in workspace_names(run_context(), named_folder(folder))]


_ADVICE: Final = "Use --yes to remove the lock without a question"


@examples(
    (
        "Remove a lock by its ID, which the refused command and `statetool locks` show.",
        "statetool unlock 9db590f1-b6fe-c5f2-2678-8804f089deba",
    ),
    (
        "Remove the lock of another workspace, without a question.",
        "statetool unlock 9db590f1-b6fe-c5f2-2678-8804f089deba --workspace prod --yes",
    ),
)
@declared(paged=False, decrypts=False, connects=True)
def unlock_command(
    lock_id: Annotated[str, Argument(metavar="ID", help="The ID of the lock.")],
    state: StateOption = None,
    yes: Annotated[
        bool, Option("--yes", "-y", "--force", help="Do not ask for confirmation.", rich_help_panel=COMMON)
    ] = False,
) -> int:
    """Remove the lock that a command left behind, after showing who holds it. The state is not changed.

    Do so only if that command has ended: while it runs, the lock keeps others from overwriting what it writes. The lock
    of a local file, and one in PostgreSQL, ends with its process or session and cannot be removed.
    """
    name = state_name(state)
    found = lock_states(run_context(), [name])[0]
    _refuse_other(found, lock_id)
    print(locks_text([found], message_terminal()), file=sys.stderr)
    # A lock that cannot be removed is refused without a question.
    if not (yes or found.ends_with_holder) and not confirmed(
        "Remove this lock?", f"{name}: unlock", "removed", _ADVICE
    ):
        say(f"{name}: the lock was not removed")
        return FAILED
    holder = remove_lock(run_context(), name, lock_id)
    if holder is None:
        # The server gave the lock to this ID, or did not name the holder.
        say(f"{name}: not locked now; the server did not say whether {lock_id} was its lock. The state was not changed")
        return FINE
    whose = f" of {holder.Who}" if holder.Who else ""
    say(f"{name}: the lock {lock_id}{whose} was removed; the state was not changed")
    return FINE


def _refuse_other(found: LockState, lock_id: str) -> None:
    """Raise StoreError if there is no lock, or a lock with another ID."""
    if found.status is LockStatus.FREE:
        raise StoreError(f"{found.name}: it is not locked")
    if found.status is LockStatus.NONE:
        raise StoreError(f"{found.name}: the backend is not set up to lock, so there is no lock")
    if found.holder is not None and found.lock_id != lock_id:
        print(locks_text([found], message_terminal()), file=sys.stderr)
        raise StoreError(f"{found.name}: the lock has the ID {found.lock_id}, not {lock_id}; nothing was removed")
