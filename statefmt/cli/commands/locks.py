"""`statetool locks`: shows who holds the locks of states."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from typer import BadParameter, Option

from statefmt import StatetoolError, StoreError
from statefmt.backends import LockState, LockStatus, lock_states, workspace_names
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.failure import show_failure
from statefmt.cli.named_state import named_folder, state_name
from statefmt.cli.options.shared import FormatOption, OutputFormat, StateOption, StatesArgument
from statefmt.cli.options.takes import declared
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal
from statefmt.locations import RemoteName, display_name


@declared(
    paged=True,
    decrypts=False,
    connects=True,
    examples=(
        ("Show whether the state of this directory is locked, and by whom.", "statetool locks"),
        ("Show the locks of all workspaces.", "statetool locks --all-workspaces"),
        (
            "Print the ID of a lock, for `statetool unlock`.",
            "statetool locks --format json | jq -r '.states[0].lock.id'",
        ),
    ),
)
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
        from statefmt.render.stores import locks_json

        sys.stdout.buffer.write(locks_json(found))
    elif found:
        from statefmt.render.stores import locks_text

        print(locks_text(found, result_terminal()))
    if failed:
        return FAILED
    return FOUND if any(state.status is LockStatus.HELD for state in found) else FINE


def _locks_of(given: str | None) -> list[LockState]:
    """Return the lock of a state. Raises StoreError if it cannot be asked, or a file that was named does not exist."""
    name = state_name(given, to_read=True)
    found = lock_states(run_context(), [name])
    # A folder may have no state yet; a file without a lock that is not there is a wrong name.
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
