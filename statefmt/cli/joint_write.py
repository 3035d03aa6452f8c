"""The options of commands that write several states as one."""

from __future__ import annotations

from typing import Annotated

import typer

from statefmt.cli.applying import ApplyTerms
from statefmt.cli.options.duration import seconds
from statefmt.cli.options.groups import COMMON
from statefmt.cli.options.shared import ShowSensitiveOption
from statefmt.cli.options.write import LockOption, LockTimeoutOption, NoBackupOption
from statefmt.render.diff.values import Manner

_ADVICE = "Use --dry-run to see the changes, or --yes to write them"


def joint_write_options(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, but write nothing.", rich_help_panel=COMMON)
    ] = False,
    no_backup: NoBackupOption = False,
    lock: LockOption = True,
    lock_timeout: LockTimeoutOption = "0s",
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.", rich_help_panel=COMMON)
    ] = False,
    show_sensitive: ShowSensitiveOption = False,
) -> ApplyTerms:
    """Return how to write the states. Raises BadParameter."""
    return ApplyTerms(
        _ADVICE,
        timeout=seconds(lock_timeout, "--lock-timeout") if lock else None,
        keeps_backup=not no_backup,
        asks=lambda _: not yes,
        dry_run=dry_run,
        manner=Manner(show_sensitive=show_sensitive),
    )
