"""Undoes a change of several states for the command `undo`, and ends such an undo after a crash."""

from __future__ import annotations

from typing import Final

import typer

from statefmt.cli.applying import ApplyTerms, apply_shown, report_ended
from statefmt.cli.command_line import command_line
from statefmt.cli.exit_status import FINE
from statefmt.cli.many_states import show_outcome
from statefmt.cli.options.surgery_options import SurgeryOptions
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.operations_files import Ending, end_undo, undo_together
from statefmt.render.diff.values import Manner

_ADVICE: Final = "Use --dry-run to see the changes, --yes to write them, or --only for this state only"


def undo_all(name: str, to: int | None, options: SurgeryOptions, *, discard_changes: bool) -> int:
    """Undo the change of several states of which `name` is one, in all of them; return the exit status."""
    write = options.write
    others = {**_of_one_state(options), "--discard-changes": discard_changes}
    _refuse(others, "the edit changed several states, and is undone in all of them; add --only for this state only")
    context, command, timeout = run_context(), command_line(), write.lock_timeout if write.lock else None
    manner = Manner(show_sensitive=options.show_sensitive)
    if write.dry_run:
        outcome = undo_together(context, name, to, dry_run=True)
        show_outcome({one: one for one in outcome.outcomes}, outcome, manner, to_messages=False)
        say(f"{name}: dry run; nothing was written")
        return FINE
    terms = ApplyTerms(_ADVICE, asks=lambda _: not write.yes, manner=manner)
    keeps_backup = not write.no_backup
    status = apply_shown(
        "undo",
        lambda agreed: undo_together(
            context, name, to, command=command, timeout=timeout, keeps_backup=keeps_backup, agreed=agreed
        ),
        terms,
    )
    if status == FINE:
        say("`statetool undo` of any of these states now reverts this undo in all of them")
    return status


def end_together(name: str, ending: Ending, options: SurgeryOptions, others: dict[str, bool]) -> int:
    """End an undo of several states after a crash; return the exit status.

    `others` are more options that cannot be given, and whether they are.
    """
    write = options.write
    others |= {**_of_one_state(options), "--dry-run": write.dry_run}
    _refuse(others, "cannot be combined with --resume, --abort or --leave")
    timeout = write.lock_timeout if write.lock else None
    names = end_undo(run_context(), name, ending, timeout=timeout, keeps_backup=not write.no_backup)
    return report_ended(name, names, ending)


def _of_one_state(options: SurgeryOptions) -> dict[str, bool]:
    """Return the options that are about one state, and whether they are given."""
    write = options.write
    return {
        "--out": write.out is not None,
        "--backup": write.backup is not None,
        "--expect-serial": write.expect_serial is not None,
        "--expect-hash": write.expect_hash is not None,
    }


def _refuse(options: dict[str, bool], why: str) -> None:
    """Raise BadParameter for the first option that is given."""
    for option, is_given in options.items():
        if is_given:
            raise typer.BadParameter(why, param_hint=option)
