"""Undoes a change of several states for the command `undo`, and ends such an undo after a crash."""

from __future__ import annotations

from typing import Final

import typer

from statefmt.cli.command_line import command_line
from statefmt.cli.confirmation import confirmed
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.many_states import show_states
from statefmt.cli.options.surgery_options import SurgeryOptions
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.operations_files import Ending, UndoneChange, end_undo, undo_together
from statefmt.render.diff.values import Manner

_ADVICE: Final = "Use --dry-run to see the changes, --yes to write them, or --only for this state only"
_ENDINGS: Final = {"--resume": Ending.FINISH, "--abort": Ending.TAKE_BACK, "--leave": Ending.LEAVE}


def undo_all(name: str, to: int | None, options: SurgeryOptions, *, discard_changes: bool) -> int:
    """Undo the change of several states of which `name` is one, in all of them; return the exit status."""
    write = options.write
    _refuse_others(options, "an edit of several states is undone in all of them; add --only")
    if discard_changes:
        raise typer.BadParameter(
            "an edit of several states is undone in all of them, if nothing else has changed them; add --only",
            param_hint="--discard-changes",
        )
    manner, asks, refused = Manner(show_sensitive=options.show_sensitive), not write.yes, False

    def agreed(change: UndoneChange) -> bool:
        nonlocal refused
        show_states(change.outcomes, manner, to_messages=asks)
        refused = asks and not confirmed("Write these states?", f"{name}: undo", "written", _ADVICE)
        return not refused

    change = undo_together(
        run_context(),
        name,
        to,
        command=command_line(),
        timeout=write.lock_timeout if write.lock else None,
        keeps_backup=not write.no_backup,
        dry_run=write.dry_run,
        agreed=agreed,
    )
    if write.dry_run:
        show_states(change.outcomes, manner, to_messages=False)
        say(f"{name}: dry run; nothing was written")
        return FINE
    if refused:
        say(f"{name}: nothing was written")
        return FAILED
    for one in change.outcomes:
        say(f"{one}: written")
    say("`statetool undo` of any of these states now reverts this undo in all of them")
    return FINE


def end_together(name: str, option: str, options: SurgeryOptions) -> int:
    """End an undo of several states as `option` says, such as --resume; return the exit status."""
    write, ending = options.write, _ENDINGS[option]
    _refuse_others(options, f"cannot be combined with {option}")
    if write.dry_run:
        raise typer.BadParameter(f"cannot be combined with {option}", param_hint="--dry-run")
    timeout = write.lock_timeout if write.lock else None
    names = end_undo(run_context(), name, ending, timeout=timeout, keeps_backup=not write.no_backup)
    for one in names:
        say(f"{one}: {'as it was before the undo' if ending is Ending.TAKE_BACK else 'written'}")
    if not names:
        say(f"{name}: the undo has ended; no state was written")
    return FINE


def _refuse_others(options: SurgeryOptions, why: str) -> None:
    """Raise BadParameter for options that are about one state."""
    write = options.write
    given = {
        "--out": write.out is not None,
        "--backup": write.backup is not None,
        "--expect-serial": write.expect_serial is not None,
        "--expect-hash": write.expect_hash is not None,
    }
    for option, is_given in given.items():
        if is_given:
            raise typer.BadParameter(why, param_hint=option)
