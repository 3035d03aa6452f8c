"""The options of all commands that write a state: the destination, the conditions, and the fixes of `check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from typer import BadParameter, Option

from statefmt.cli.options.shared import COMMON, YesOption, seconds
from statefmt.cli.run import command_line, run_context
from statefmt.edit.pipeline import EditOptions
from statefmt.locations import STANDARD_INPUT
from statefmt.text import pattern

if TYPE_CHECKING:
    from statefmt.store.protocol import Store


# Terraform's `-backup=-`.
_NO_BACKUP: Final = "-"
# Other names of standard output, which may be a file: opening it again would overwrite its beginning.
_STANDARD_OUTPUT: Final = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")

# A Path collapses two slashes to one.
_URL: Final = pattern(r"(?:s3|pg|https?):/")

NoBackupOption = Annotated[
    bool,
    Option("--no-backup", help="Keep no backup file; the history still has what undo needs.", rich_help_panel=COMMON),
]
DryRunOption = Annotated[
    bool, Option("--dry-run", help="Show what would change, but write nothing.", rich_help_panel=COMMON)
]
LockOption = Annotated[
    bool,
    Option(
        "--lock/--no-lock",
        show_default=False,
        help="Lock the state as OpenTofu does (the default).",
        rich_help_panel=COMMON,
    ),
]
LockTimeoutOption = Annotated[
    str,
    Option(
        metavar="DURATION",
        show_default=False,
        help="How long to wait for the lock, such as 10s; default: 0s.",
        rich_help_panel=COMMON,
    ),
]


def has_conditions(options: EditOptions) -> bool:
    """Return whether this is a dry run, or the state must have a given serial or hash."""
    return options.dry_run or options.expect_serial is not None or options.expect_hash is not None


def destination(options: EditOptions, name: str, in_place: bool) -> str | None:
    """Return the destination of the result: --out, else None for the state if `in_place`, else standard output."""
    if in_place and options.out is not None:
        raise BadParameter("cannot be combined with --out", param_hint="--in-place")
    if options.out == "":
        raise BadParameter("the name is empty", param_hint="--output")
    if in_place and name == STANDARD_INPUT:
        raise BadParameter("needs a file, not standard input", param_hint="--in-place")
    if not in_place and options.backup is not None:
        raise BadParameter("requires --in-place", param_hint="--backup")
    return None if in_place else options.out or STANDARD_INPUT


def write_options(
    *,
    out: Annotated[
        str | None,
        Option(
            "--out",
            "--output",
            "-o",
            metavar="PATH",
            help="Write the result to PATH and leave STATE unchanged; - is standard output.",
            rich_help_panel=COMMON,
        ),
    ] = None,
    backup: Annotated[
        Path | None,
        Option(
            "--backup",
            metavar="PATH",
            help="Back up the state to PATH instead of beside it; - makes no backup.",
            rich_help_panel=COMMON,
        ),
    ] = None,
    no_backup: NoBackupOption = False,
    dry_run: DryRunOption = False,
    lock: LockOption = True,
    lock_timeout: LockTimeoutOption = "0s",
    expect_serial: Annotated[
        int | None, Option(metavar="N", help="Fail unless the state has this serial.", rich_help_panel=COMMON)
    ] = None,
    expect_hash: Annotated[
        str | None, Option(metavar="SHA256", help="Fail unless the file has this SHA-256 hash.", rich_help_panel=COMMON)
    ] = None,
    yes: YesOption = False,
) -> EditOptions:
    """Return the options as one value. Raises BadParameter if they contradict each other."""
    if str(backup) == _NO_BACKUP:
        backup, no_backup = None, True
    if no_backup and backup is not None:
        raise BadParameter("cannot be combined with --backup", param_hint="--no-backup")
    if out is not None and backup is not None:
        raise BadParameter("cannot be combined with --out: the state stays as it is", param_hint="--backup")
    out = file_to_write("--out", out)
    file_to_write("--backup", None if backup is None else str(backup))
    return EditOptions(
        command=command_line(),
        out=out,
        yes=yes,
        backup=None if backup is None else str(backup),
        keep_backup=not no_backup,
        dry_run=dry_run,
        lock=lock,
        lock_timeout=seconds(lock_timeout, "--lock-timeout"),
        expect_serial=expect_serial,
        expect_hash=expect_hash,
    )


def file_to_write(option: str, path: str | None) -> str | None:
    """Return the path for an output file, `-` for any name of standard output. Raises BadParameter for a URL."""
    if path is not None and _URL.match(path):
        raise BadParameter("writes a file; `statetool copy` writes a state to a URL", param_hint=option)
    return STANDARD_INPUT if path in _STANDARD_OUTPUT else path


def store_of(name: str) -> Store:
    """Return the store of the state of a command."""
    from statefmt.edit.session import store_at

    return store_at(run_context(), name)


_FIXES: Final = "Fixes"
_NO_WAIT: Final = "0s"


class FixOptions(NamedTuple):
    """The options for fixing findings, and for writing the states. `shows` if nothing is written."""

    fixes: bool
    unsafe: bool
    shows: bool
    write: EditOptions


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
    write = EditOptions(
        "check --fix",
        command_line(),
        keep_backup=not no_backup,
        dry_run=show_diff,
        lock=lock,
        lock_timeout=seconds(lock_timeout, "--lock-timeout") if fix else 0.0,
    )
    return FixOptions(fixes=fixes, unsafe=unsafe_fixes, shows=show_diff, write=write)
