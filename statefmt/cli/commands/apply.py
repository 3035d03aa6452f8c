"""`statetool apply`: runs an operations file on its states, all of them or none."""

from __future__ import annotations

from typing import Annotated, Final

from typer import Argument

from statefmt.cli.applying import ApplyTerms, apply_shown, report_ended
from statefmt.cli.command_line import command_line
from statefmt.cli.options.duration import seconds
from statefmt.cli.options.ending import ending_options
from statefmt.cli.options.shared import AgreedOption, ShowSensitiveOption
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.options.write import LockOption, LockTimeoutOption, NoBackupOption
from statefmt.cli.run import run_context
from statefmt.operations_files import Ending, applied_operations, ended_operations, is_plan_file
from statefmt.render.diff.items import Manner

_ADVICE: Final = "Use `statetool plan` to see the changes, or --yes to write them"


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Run an operations file; its changes are shown first.", "statetool apply split.stateops.hcl"),
        ("Apply exactly what was reviewed.", "statetool apply split.plan.json"),
        ("After a crash, finish an apply.", "statetool apply --resume split.stateops.hcl"),
        ("After a crash, take an apply back.", "statetool apply --abort split.stateops.hcl"),
    ),
)
@takes(ending=ending_options)
def apply_command(
    operations: Annotated[str, Argument(metavar="FILE|PLAN", help="An operations file, or a plan of one.")],
    no_backup: NoBackupOption = False,
    lock: LockOption = True,
    lock_timeout: LockTimeoutOption = "0s",
    yes: AgreedOption = False,
    show_sensitive: ShowSensitiveOption = False,
    *,
    ending: Ending | None,
) -> int:
    """Run the operations of a file on all its states, or on none.

    All states are locked, and all results are made and checked before the first write. A plan must match: its file, the
    states and the results. If a write fails, those before it are taken back. After a crash, the states stay locked to
    statetool until --resume or --abort. If something else has written a state, neither writes anything.
    """
    timeout = seconds(lock_timeout, "--lock-timeout") if lock else None
    context, keeps_backup = run_context(), not no_backup
    if ending is not None:
        names = ended_operations(context, operations, ending, timeout=timeout, keeps_backup=keeps_backup)
        return report_ended(operations, names, ending)
    asks = not yes and not is_plan_file(operations)
    return apply_shown(
        operations,
        lambda agreed: applied_operations(
            context, operations, command_line(), timeout=timeout, keeps_backup=keeps_backup, agreed=agreed
        ),
        ApplyTerms(Manner(show_sensitive=show_sensitive), _ADVICE, asks=lambda _: asks),
    )
