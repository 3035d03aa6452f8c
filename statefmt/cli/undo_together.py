"""Undoes a change of several states for the command `undo`, and ends such an undo after a crash."""

from __future__ import annotations

from typing import Final

from statefmt.cli.applying import apply_shown, report_ended
from statefmt.cli.command_line import command_line
from statefmt.cli.exit_status import FINE
from statefmt.cli.joint_write import joint_terms
from statefmt.cli.many_states import show_outcome
from statefmt.cli.options.surgery_options import SurgeryOptions
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.operations_files import Ending, end_undo, undo_together

_ADVICE: Final = "Use --dry-run to see the changes, --yes to write them, or --only for this state only"


def undo_all(name: str, to: int | None, options: SurgeryOptions, further: str, *, discard_changes: bool) -> int:
    """Undo edits of several states of which `name` is one, in all of them; return the exit status.

    `further` says how to go back further.
    """
    why = "the edit changed several states, and is undone in all of them; add --only for this state only"
    terms = joint_terms(options, why, {"--discard-changes": discard_changes})._replace(advice=_ADVICE)
    context, command = run_context(), command_line()
    if terms.dry_run:
        outcome = undo_together(context, name, to, dry_run=True)
        show_outcome({one: one for one in outcome.outcomes}, outcome, terms.manner, to_messages=False)
        say(f"{name}: dry run; nothing was written")
        return FINE
    status = apply_shown(
        "undo",
        lambda agreed: undo_together(
            context, name, to, command=command, timeout=terms.timeout, keeps_backup=terms.keeps_backup, agreed=agreed
        ),
        terms,
    )
    if status == FINE:
        say(f"`statetool undo` of any of these states now reverts this undo in all of them{further}")
    return status


def end_together(name: str, ending: Ending, options: SurgeryOptions, others: dict[str, bool]) -> int:
    """End an undo of several states after a crash; return the exit status.

    `others` are more options that cannot be given, and whether they are.
    """
    others |= {"--dry-run": options.write.dry_run}
    terms = joint_terms(options, "cannot be combined with --resume, --abort or --leave", others)
    names = end_undo(run_context(), name, ending, timeout=terms.timeout, keeps_backup=terms.keeps_backup)
    return report_ended(name, names, ending)
