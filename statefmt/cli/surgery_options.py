"""The options of every command of surgery: which state, where the result goes, and on what conditions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple, Optional

import typer

from statefmt.cli.duration import seconds
from statefmt.cli.options import ShowSensitiveOption, StateOption, YesOption

WholeResourceOption = Annotated[
    bool, typer.Option("--whole-resource", help="Take all instances of a resource along with those that are selected.")
]


class SurgeryOptions(NamedTuple):
    """What was asked for; `lock_timeout` is in seconds."""

    state: str | None
    out: str | None
    backup: Path | None
    no_backup: bool
    dry_run: bool
    lock: bool
    lock_timeout: float
    expect_serial: int | None
    expect_hash: str | None
    show_sensitive: bool
    yes: bool


def surgery_options(
    *,
    state: StateOption = None,
    out: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(
            "--out", "-o", metavar="PATH", help="Write the result here, and leave STATE; - is standard output."
        ),
    ] = None,
    backup: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--backup", metavar="PATH", help="Keep the state as it was here; default: beside it."),
    ] = None,
    no_backup: Annotated[
        bool, typer.Option("--no-backup", help="With --out: keep nothing of a file that is replaced.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and write nothing.")] = False,
    lock: Annotated[
        bool, typer.Option("--lock/--no-lock", show_default=False, help="Lock the state as OpenTofu does; the default.")
    ] = True,
    lock_timeout: Annotated[
        str,
        typer.Option(metavar="DURATION", show_default=False, help="How long to wait for the lock: 10s; default: 0s."),
    ] = "0s",
    expect_serial: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(metavar="N", help="Do it only if the state has this serial."),
    ] = None,
    expect_hash: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="SHA256", help="Do it only if the file has this SHA-256."),
    ] = None,
    show_sensitive: ShowSensitiveOption = False,
    yes: YesOption = False,
) -> SurgeryOptions:
    """The options as one value. Raises BadParameter for what contradicts itself."""
    if out is not None and backup is not None:
        raise typer.BadParameter("--out leaves the state as it is: nothing is to be kept", param_hint="--backup")
    if no_backup and out is None:
        raise typer.BadParameter("goes with --out only", param_hint="--no-backup")
    timeout = seconds(lock_timeout, "--lock-timeout")
    return SurgeryOptions(
        state, out, backup, no_backup, dry_run, lock, timeout, expect_serial, expect_hash, show_sensitive, yes
    )
