"""The options of all commands that write a state: where to write, on what conditions, and what `check` fixes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, TypedDict

from typer import BadParameter, Option

from statefmt.cli.options.shared import COMMON, YesOption, seconds
from statefmt.cli.run import command_line, run_context
from statefmt.locations import STANDARD_INPUT
from statefmt.text import pattern

if TYPE_CHECKING:
    from statefmt.edit.pipeline import Terms
    from statefmt.store.protocol import Store


# Terraform's `-backup=-`.
_NO_BACKUP: Final = "-"
# Other names of standard output, which may be a file: opening it anew would write over its beginning.
_STANDARD_OUTPUT: Final = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")

# A Path has one slash.
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


class WrittenArguments(TypedDict):
    """The arguments of `State.edit`, `edit_text` and `repair` that the options decide."""

    lock: bool
    lock_timeout: float
    backup: str | None
    keep_backup: bool
    dry_run: bool
    out: str | None
    overwrite: bool
    expect_serial: int | None
    expect_hash: str | None


class WriteOptions(NamedTuple):
    """The options of a command that writes; `lock_timeout` is in seconds."""

    out: str | None
    backup: str | None
    no_backup: bool
    dry_run: bool
    lock: bool
    lock_timeout: float
    expect_serial: int | None
    expect_hash: str | None
    yes: bool

    def terms(self, name: str, operation: str, *, to: str | None = None, command: str = "") -> Terms:
        """Return the terms of an edit of the state `name`; `to` is a path, `-`, or None to write back to the state."""
        from statefmt.edit.pipeline import FileCopy, OutputCopy, Terms

        context, command = run_context(), command or command_line()
        to = STANDARD_INPUT if to is None and name == STANDARD_INPUT else to
        copy = (
            None
            if to is None
            else FileCopy(
                context=context, path=to, command=command, replace=self.yes, keeps_replaced=not self.no_backup
            )
        )
        return Terms(
            operation=operation,
            command=command,
            copy=OutputCopy(context) if to == STANDARD_INPUT else copy,
            backup=self.backup,
            keeps_backup=not self.no_backup,
            dry_run=self.dry_run,
            lock=self.lock,
            timeout=self.lock_timeout,
            serial=self.expect_serial,
            checksum=self.expect_hash,
        )

    def edit_arguments(self, to: str | None) -> WrittenArguments:
        """Return the arguments of an edit that goes `to` a path, to `-`, or, for None, back to the state."""
        return {
            "lock": self.lock,
            "lock_timeout": self.lock_timeout,
            "backup": self.backup,
            "keep_backup": not self.no_backup,
            "dry_run": self.dry_run,
            "out": to,
            "overwrite": self.yes,
            "expect_serial": self.expect_serial,
            "expect_hash": self.expect_hash,
        }

    def destination(self, name: str) -> str | None:
        """Return where the result of an edit of the state `name` goes: --out, `-` if it is piped, None for itself."""
        return STANDARD_INPUT if self.out is None and name == STANDARD_INPUT else self.out

    @property
    def has_conditions(self) -> bool:
        """Whether this is a dry run, or the state must have a given serial or hash."""
        return self.dry_run or self.expect_serial is not None or self.expect_hash is not None

    def target(self, name: str, in_place: bool) -> str | None:
        """Return where the result goes: --out, else None for the state if `in_place`, else standard output."""
        if in_place and self.out is not None:
            raise BadParameter("cannot be combined with --out", param_hint="--in-place")
        if self.out == "":
            raise BadParameter("the name is empty", param_hint="--output")
        if in_place and name == STANDARD_INPUT:
            raise BadParameter("needs a file, not standard input", param_hint="--in-place")
        if not in_place and self.backup is not None:
            raise BadParameter("requires --in-place", param_hint="--backup")
        return None if in_place else self.out or STANDARD_INPUT


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
) -> WriteOptions:
    """Return the options as one value. Raises BadParameter if they contradict each other."""
    if str(backup) == _NO_BACKUP:
        backup, no_backup = None, True
    if no_backup and backup is not None:
        raise BadParameter("cannot be combined with --backup", param_hint="--no-backup")
    if out is not None and backup is not None:
        raise BadParameter("cannot be combined with --out: the state stays as it is", param_hint="--backup")
    out = file_to_write("--out", out)
    file_to_write("--backup", None if backup is None else str(backup))
    timeout = seconds(lock_timeout, "--lock-timeout")
    kept = None if backup is None else str(backup)
    return WriteOptions(
        out=out,
        backup=kept,
        no_backup=no_backup,
        dry_run=dry_run,
        lock=lock,
        lock_timeout=timeout,
        expect_serial=expect_serial,
        expect_hash=expect_hash,
        yes=yes,
    )


def file_to_write(option: str, path: str | None) -> str | None:
    """Return the path of an option for a file, `-` for any name of standard output. Raises BadParameter for a URL."""
    if path is not None and _URL.match(path):
        raise BadParameter("writes a file; `statetool copy` writes a state to a URL", param_hint=option)
    return STANDARD_INPUT if path in _STANDARD_OUTPUT else path


def store_of(name: str) -> Store:
    """Return the store of the state that a command names."""
    from statefmt.edit.session import store_at

    return store_at(run_context(), name)


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
