"""`statetool fleet diff`: shows what changed between two runs of `fleet index`."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import Argument, BadParameter, Option

from statefmt.cli.exit_status import FINE, FOUND
from statefmt.cli.options.fleet_options import DEFAULT_INDEX, IntoOption
from statefmt.cli.options.shared import FormatOption, OutputFormat
from statefmt.cli.options.takes import declared
from statefmt.cli.streams import result_terminal


@declared(
    paged=True,
    decrypts=False,
    connects=False,
    examples=(
        ("Show what the last run found changed.", "statetool fleet diff"),
        ("Show what changed since a day.", "statetool fleet diff 2026-01-31"),
        ("Compare two runs, and list all objects and findings.", "statetool fleet diff 3 7 --full"),
        ("List the runs.", "statetool fleet query 'SELECT run_id, started, n_states FROM runs'"),
    ),
)
def fleet_diff_command(
    before: Annotated[
        str,
        Argument(
            metavar="[RUN]", show_default=False, help="The earlier run; default: previous, the one before the last."
        ),
    ] = "previous",
    after: Annotated[
        str, Argument(metavar="[RUN]", show_default=False, help="The later run; default: latest.")
    ] = "latest",
    into: IntoOption = DEFAULT_INDEX,
    stat: Annotated[bool, Option("--stat", help="Show only which states differ.")] = False,
    full: Annotated[bool, Option("--full", help="Show all changes of a state, not only the first ten.")] = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show what changed between two runs of `fleet index`: states, objects, outputs and findings.

    A run is a number, a place from the end (-1 or latest, -2 or previous), first, or a time such as 2026-01-31 or
    2026-01-31T12:00, in UTC: the last run that began by then. A run that was interrupted cannot be named.

    Exit status 0: no differences; 1: differences; 2: failure.
    """
    if stat and (full or output_format is not OutputFormat.TEXT):
        raise BadParameter("cannot be combined with --full and --format", param_hint="--stat")
    from statefmt.fleet import run_difference
    from statefmt.render.fleet import run_difference_json, run_difference_text

    found = run_difference(into, before, after)
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(run_difference_json(found))
    else:
        print(run_difference_text(found, result_terminal(), stat=stat, full=full))
    return FOUND if found.states else FINE
