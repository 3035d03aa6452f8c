"""`statetool report`: writes a page about a state, to read in a browser."""

from __future__ import annotations

from typing import Annotated, Final, Optional

import typer

from statefmt import StoreError
from statefmt.cli.exit_status import FINE
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.run import run_context
from statefmt.cli.streams import say, write_result
from statefmt.locations import STANDARD_INPUT, display_name

EXAMPLES: Final = (
    ("Write a report on the state of this directory.", "statetool report -o report.html"),
    ("Write one on a remote state.", "tofu state pull | statetool report -o report.html -"),
)


def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    out: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--out", "-o", metavar="FILE", help="Write the report to FILE; default: standard output."),
    ] = None,
) -> int:
    """Write a page in HTML about a state: numbers, findings, providers, sizes, dependencies, resources and outputs.

    The page is one file that works offline and loads nothing. It has no attributes, and sensitive outputs are hidden.
    An earlier report in FILE is replaced; any other file is not.
    """
    try:
        from statefmt.render.report.file import write_report
        from statefmt.render.report.state_page import state_page
    except ImportError as error:
        raise StoreError("reports need the package jinja2; run `pip install 'statetool[fleet]'`") from error
    opened = opened_state(one_state(state, state_option))
    report = state_page(opened, opened.check(), run_context().clock())
    if out is None or out == STANDARD_INPUT:
        write_result(report)
    else:
        write_report(out, report)
        say(f"{display_name(out)}: written")
    return FINE
