"""`statetool list`: the addresses of the resource instances in a state."""

from __future__ import annotations

import sys

from statefmt.cli.exit_status import FINE
from statefmt.cli.options import FormatOption, OutputFormat, StateOption
from statefmt.cli.selecting import SelectorsArgument, criteria
from statefmt.render.addresses import addresses_json, addresses_text
from statefmt.selection import select
from statefmt.session import load, state_name
from statefmt.states import instances


def command(
    selectors: SelectorsArgument = None,
    state: StateOption = None,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """List the resource instances in a state, in the order of `tofu state list`."""
    loaded = load(state_name(state))
    found = select(instances(loaded.result.snapshot), criteria(selectors))
    addrs = [instance.addr for instance in found]
    text = addresses_json(addrs) if output_format is OutputFormat.JSON else addresses_text(addrs)
    sys.stdout.buffer.write(text)
    return FINE
