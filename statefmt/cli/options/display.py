"""The options about the output of all commands, before or after the command."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from typer import BadParameter, Option

from statefmt.cli.options.groups import COMMON
from statefmt.cli.run import current_run, use_run
from statefmt.cli.streams import end_paging


def _use_colour(value: str | None) -> None:
    if value is None:
        return
    if value not in ("auto", "always", "never"):
        raise BadParameter("must be auto, always or never", param_hint="--color")
    use_run(replace(current_run(), colour=value))


def _use_no_pager(given: bool) -> None:
    if given:
        end_paging()


ColourOption = Annotated[
    str | None,
    Option(
        "--color",
        metavar="WHEN",
        callback=_use_colour,
        help="Use colour: auto (the default), always or never. NO_COLOR is honoured.",
        rich_help_panel=COMMON,
    ),
]
NoPagerOption = Annotated[
    bool,
    Option(
        "--no-pager",
        # Before --help, which prints.
        is_eager=True,
        callback=_use_no_pager,
        help="Do not send long output on a terminal to PAGER.",
        rich_help_panel=COMMON,
    ),
]


def display_options(*, color: ColourOption = None, no_pager: NoPagerOption = False) -> None:
    """Take the options, whose callbacks have done everything."""
