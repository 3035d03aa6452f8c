"""The options of `check` that fix what it finds."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

from typer import BadParameter, Option

from statefmt.cli.options.duration import seconds
from statefmt.cli.options.write import LockOption, LockTimeoutOption, NoBackupOption, WriteOptions

_FIXES: Final = "Fixes"
_NO_WAIT: Final = "0s"


class FixOptions(NamedTuple):
    """Whether to fix findings, which ones, and how to write the states. `shows` if nothing is written."""

    fixes: bool
    unsafe: bool
    shows: bool
    write: WriteOptions


def fix_options(
    *,
    fix: Annotated[
        bool, Option("--fix", help="Fix what has one right answer, and report the rest.", rich_help_panel=_FIXES)
    ] = False,
    unsafe_fixes: Annotated[
        bool,
        Option(
            "--unsafe-fixes",
            help="With --fix or --diff: also apply fixes that make a choice, as the page of the rule says.",
            rich_help_panel=_FIXES,
        ),
    ] = False,
    show_diff: Annotated[
        bool,
        Option(
            "--diff", help="Show what --fix would change, and write nothing (exit status 1).", rich_help_panel=_FIXES
        ),
    ] = False,
    no_backup: NoBackupOption = False,
    lock: LockOption = True,
    lock_timeout: LockTimeoutOption = _NO_WAIT,
) -> FixOptions:
    """Return the options as one value. Raises BadParameter if they contradict each other."""
    if fix and show_diff:
        raise BadParameter("cannot be combined with --diff, which writes nothing", param_hint="--fix")
    fixes = fix or show_diff
    if unsafe_fixes and not fixes:
        raise BadParameter("requires --fix or --diff", param_hint="--unsafe-fixes")
    waits = lock_timeout != _NO_WAIT
    for option, is_given in (("--no-backup", no_backup), ("--no-lock", not lock), ("--lock-timeout", waits)):
        if is_given and not fix:
            raise BadParameter("requires --fix", param_hint=option)
    timeout = seconds(lock_timeout, "--lock-timeout") if fix else 0.0
    write = WriteOptions(
        out=None,
        backup=None,
        no_backup=no_backup,
        dry_run=show_diff,
        lock=lock,
        lock_timeout=timeout,
        expect_serial=None,
        expect_hash=None,
        yes=True,
    )
    return FixOptions(fixes=fixes, unsafe=unsafe_fixes, shows=show_diff, write=write)
