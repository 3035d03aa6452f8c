"""The options about the output of all commands, before or after the command."""

from __future__ import annotations

from dataclasses import replace

import click

from statefmt.cli.declared import PanelOption
from statefmt.cli.options.groups import COMMON
from statefmt.cli.run import current_run
from statefmt.cli.streams import end_paging


def display_options() -> list[click.Option]:
    """Return --color and --no-pager."""
    return [
        PanelOption(
            "--color",
            metavar="WHEN",
            expose_value=False,
            callback=_use_colour,
            help="Use colour: auto (the default), always or never. NO_COLOR is honoured.",
            panel=COMMON,
        ),
        PanelOption(
            "--no-pager",
            is_flag=True,
            expose_value=False,
            # Before --help, which prints.
            is_eager=True,
            callback=_use_no_pager,
            help="Do not send long output on a terminal to PAGER.",
            panel=COMMON,
        ),
    ]


def _use_colour(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is None:
        return
    if value not in ("auto", "always", "never"):
        raise click.BadParameter("must be auto, always or never", context, param_hint="--color")
    context.obj = replace(current_run(), colour=value)


def _use_no_pager(_context: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        end_paging()
