"""`statetool plan`: shows what an operations file does to its states."""

from __future__ import annotations

from typing import Annotated, Final, Optional

import typer

from statefmt.cli.as_blocks import show_outcome_as_blocks
from statefmt.cli.exit_status import FINE
from statefmt.cli.many_states import show_outcome
from statefmt.cli.options.shared import ShowSensitiveOption
from statefmt.cli.options.surgery_options import AsBlocksOption
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.operations_files import planned_operations, write_plan
from statefmt.render.diff.values import Manner

EXAMPLES: Final = (
    ("Show what an operations file does, one comparison for each state.", "statetool plan split.stateops.hcl"),
    ("Write down what was reviewed, for `apply`.", "statetool plan split.stateops.hcl -o split.plan.json"),
)


def command(
    operations: Annotated[str, typer.Argument(metavar="FILE", help="An operations file.")],
    out: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--out", "-o", metavar="PLAN", help="Write the plan to a new file, which `apply` takes."),
    ] = None,
    as_blocks: AsBlocksOption = False,
    show_sensitive: ShowSensitiveOption = False,
) -> int:
    """Show what an operations file does to its states, and write nothing but the plan.

    A plan pins each state: its place, lineage, serial, content and version, and the result. It has hashes of contents,
    and no values.
    """
    if as_blocks and out is not None:
        raise typer.BadParameter("cannot be combined with --out: nothing is written", param_hint="--as-blocks")
    planned = planned_operations(run_context(), operations, out)
    if as_blocks:
        return show_outcome_as_blocks(planned.names, planned.outcome, show_sensitive=show_sensitive)
    show_outcome(planned.names, planned.outcome, Manner(show_sensitive=show_sensitive), to_messages=False)
    if out is not None:
        write_plan(out, planned)
        say(f"{out}: written")
    return FINE
