"""`statetool apply`: runs an operations file on its states, all of them or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

import typer

from statefmt.cli.command_line import command_line
from statefmt.cli.confirmation import confirmed
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.many_states import show_outcome
from statefmt.cli.options.duration import seconds
from statefmt.cli.options.groups import COMMON
from statefmt.cli.options.shared import ShowSensitiveOption
from statefmt.cli.options.write import LockOption, LockTimeoutOption, NoBackupOption
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.operations_files import Ending, FileOutcome, applied_operations, ended_operations, is_plan_file
from statefmt.render.diff.values import Manner

EXAMPLES: Final = (
    ("Run an operations file; its changes are shown first.", "statetool apply split.stateops.hcl"),
    ("Apply exactly what was reviewed.", "statetool apply split.plan.json"),
    ("After a crash, finish an apply.", "statetool apply --resume split.stateops.hcl"),
    ("After a crash, take an apply back.", "statetool apply --abort split.stateops.hcl"),
)
_ADVICE: Final = "Use `statetool plan` to see the changes, or --yes to write them"


def command(
    operations: Annotated[str, typer.Argument(metavar="FILE|PLAN", help="An operations file, or a plan of one.")],
    resume: Annotated[bool, typer.Option("--resume", help="Finish an apply that was interrupted.")] = False,
    abort: Annotated[bool, typer.Option("--abort", help="Take back an apply that was interrupted.")] = False,
    leave: Annotated[
        bool, typer.Option("--leave", help="Leave the states of an interrupted apply as they are, and unlock them.")
    ] = False,
    no_backup: NoBackupOption = False,
    lock: LockOption = True,
    lock_timeout: LockTimeoutOption = "0s",
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.", rich_help_panel=COMMON)
    ] = False,
    show_sensitive: ShowSensitiveOption = False,
) -> int:
    """Run the operations of a file on all its states, or on none.

    All states are locked, and all results are made and checked before the first write. A plan must match: its file, the
    states and the results. If a write fails, those before it are taken back. After a crash, the states stay locked to
    statetool until --resume or --abort. If something else has written a state, neither writes anything.
    """
    endings = {
        "--resume": (resume, Ending.FINISH),
        "--abort": (abort, Ending.TAKE_BACK),
        "--leave": (leave, Ending.LEAVE),
    }
    given = [option for option, (wanted, _) in endings.items() if wanted]
    if len(given) > 1:
        raise typer.BadParameter(f"cannot be combined with {given[0]}", param_hint=given[1])
    timeout = seconds(lock_timeout, "--lock-timeout")
    wait = timeout if lock else None
    if given:
        ending = endings[given[0]][1]
        names = ended_operations(run_context(), operations, ending, timeout=wait, keeps_backup=not no_backup)
        for name in names:
            say(f"{name}: {'as it was before' if abort else 'written'}")
        if not names:
            say(f"{operations}: the apply has ended; no state was written")
        return FINE
    asks = not (yes or is_plan_file(operations))
    refused = False

    def agreed(names: Mapping[str, str], outcome: FileOutcome) -> bool:
        nonlocal refused
        show_outcome(names, outcome, Manner(show_sensitive=show_sensitive), to_messages=asks)
        refused = asks and not confirmed("Write these states?", operations, "written", _ADVICE)
        return not refused

    outcome = applied_operations(
        run_context(), operations, command_line(), timeout=wait, keeps_backup=not no_backup, agreed=agreed
    )
    if refused:
        say(f"{operations}: nothing was written")
        return FAILED
    changed = [name for name, one in outcome.outcomes.items() if one.changes]
    say(f"{operations}: {'no changes; nothing was written' if not changed else 'written: ' + ', '.join(changed)}")
    return FINE
