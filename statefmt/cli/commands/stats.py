"""`statetool stats`: shows what a state contains, in numbers and sizes."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import Option

from statefmt.cli.command import declared, examples
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.shared import FormatOption, OutputFormat, StateArgument, StateOption, one_state
from statefmt.cli.outcome import FINE
from statefmt.cli.streams import result_terminal
from statefmt.render.stats import Shown, stats_json, stats_text
from statefmt.statistics import statistics


@examples(
    ("Show what the state of this directory contains.", "statetool stats"),
    ("Find the modules that take up the most space.", "statetool stats --modules --top 0"),
    ("Show the 50 largest instances of a remote state.", "tofu state pull | statetool stats --top 50 -"),
)
@declared(paged=True, decrypts=True, connects=True)
def stats_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    top: Annotated[int, Option(metavar="N", min=0, help="Show the N largest instances; default: 10.")] = 10,
    modules: Annotated[bool, Option("--modules", help="Also show the numbers for each module.")] = False,
    everything: Annotated[
        bool, Option("--all", help="Show all providers, types and modules, not only the ten largest of each.")
    ] = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show what a state contains by provider instance, type and module, and what takes up the most space.

    Sizes are those of the objects in the file. JSON always has all groups.
    """
    opened = opened_state(one_state(state, state_option))
    found = statistics(opened.snapshot)
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(stats_json(opened, found, top))
        return FINE
    print(
        stats_text(
            opened,
            found,
            Shown(everything=everything, modules=modules, top=top, bars=sys.stdout.isatty()),
            result_terminal(),
        )
    )
    return FINE
