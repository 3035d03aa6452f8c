"""`statetool list`: the addresses of the resource instances in a state."""

from __future__ import annotations

import sys
from typing import Annotated, Optional

import typer

from statefmt.cli.exit_status import FINE
from statefmt.cli.options import FormatOption, OutputFormat, StateOption
from statefmt.render.addresses import addresses_json, addresses_text
from statefmt.selection import instances, select
from statefmt.session import load, state_name


def command(
    selectors: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(
            metavar="[SELECTOR]...",
            help="Addresses of instances, of resources (all their instances) or of modules (everything below).",
        ),
    ] = None,
    state: StateOption = None,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """List the resource instances in a state, in the order of `tofu state list`."""
    loaded = load(state_name(state))
    found = instances(loaded.result.snapshot)
    if selectors:
        found = select(found, selectors)
    text = addresses_json(found) if output_format is OutputFormat.JSON else addresses_text(found)
    sys.stdout.buffer.write(text)
    return FINE
