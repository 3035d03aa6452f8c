"""`statetool unlock`: removes a lock that somebody left."""

from __future__ import annotations

import sys
from typing import Annotated, Final

from typer import Argument, Option

from statefmt import StoreError
from statefmt.backends import LockState, LockStatus, lock_states, remove_lock
from statefmt.cli.confirmation import confirmed
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.named_state import state_name
from statefmt.cli.options.groups import COMMON
from statefmt.cli.options.shared import StateOption
from statefmt.cli.options.takes import declared
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal, say
from statefmt.render.stores import locks_text

_ADVICE: Final = "Use --yes to remove the lock without a question"


@declared(
    paged=False,
    decrypts=False,
    connects=True,
    examples=(
        (
            "Remove a lock by its ID, which the refused command and `statetool locks` show.",
            "statetool unlock 9db590f1-b6fe-c5f2-2678-8804f089deba",
        ),
        (
            "Remove the lock of another workspace, without a question.",
            "statetool unlock 9db590f1-b6fe-c5f2-2678-8804f089deba --workspace prod --yes",
        ),
    ),
)
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
    # One that cannot be removed is refused without a question.
    if not (yes or found.ends_with_holder) and not confirmed(
        "Remove this lock?", f"{name}: unlock", "removed", _ADVICE
    ):
        say(f"{name}: the lock was not removed")
        return FAILED
    holder = remove_lock(run_context(), name, lock_id)
    if holder is None:
        # The server gave this ID the lock, or did not say who has it.
        say(f"{name}: not locked now; the server did not say whether {lock_id} was its lock. The state was not changed")
        return FINE
    whose = f" of {holder.Who}" if holder.Who else ""
    say(f"{name}: the lock {lock_id}{whose} was removed; the state was not changed")
    return FINE


def _refuse_other(found: LockState, lock_id: str) -> None:
    """Raise StoreError if there is no lock, or one with another ID."""
    if found.status is LockStatus.FREE:
        raise StoreError(f"{found.name}: it is not locked")
    if found.status is LockStatus.NONE:
        raise StoreError(f"{found.name}: the backend is not set up to lock, so there is no lock")
    if found.holder is not None and found.lock_id != lock_id:
        print(locks_text([found], message_terminal()), file=sys.stderr)
        raise StoreError(f"{found.name}: the lock has the ID {found.lock_id}, not {lock_id}; nothing was removed")
