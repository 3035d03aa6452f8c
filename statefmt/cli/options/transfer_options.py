"""The options of commands that copy states from one place to another."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from typer import Option

from statefmt.cli.options.duration import seconds
from statefmt.cli.options.groups import COMMON
from statefmt.cli.options.shared import AgreedOption, FormatOption, OutputFormat


class TransferOptions(NamedTuple):
    """The options; `lock_timeout` is in seconds, None for no lock."""

    dry_run: bool
    lock_timeout: float | None
    yes: bool
    output_format: OutputFormat


def transfer_options(
    *,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show what would be copied, but write nothing.", rich_help_panel=COMMON)
    ] = False,
    lock: Annotated[
        bool,
        Option(
            "--lock/--no-lock",
            show_default=False,
            help="Lock both places as OpenTofu does (the default).",
            rich_help_panel=COMMON,
        ),
    ] = True,
    lock_timeout: Annotated[
        str,
        Option(
            metavar="DURATION",
            show_default=False,
            help="How long to wait for each lock, such as 10s; default: 0s.",
            rich_help_panel=COMMON,
        ),
    ] = "0s",
    yes: AgreedOption = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> TransferOptions:
    """Return the options as one value. Raises BadParameter for an invalid duration."""
    timeout = seconds(lock_timeout, "--lock-timeout")
    return TransferOptions(
        dry_run=dry_run, lock_timeout=timeout if lock else None, yes=yes, output_format=output_format
    )
