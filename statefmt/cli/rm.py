"""`statetool rm`: instances forgotten; what they stand for goes on without the state."""

from __future__ import annotations

from typing import Annotated

import typer

from statefmt.cli.selecting import SelectorsArgument
from statefmt.cli.surgery import Plan, choose, surgery
from statefmt.selection import Criteria
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.rm import rm


@surgery
def command(
    chosen: Criteria,
    selectors: SelectorsArgument = None,
    keep_dangling: Annotated[
        bool, typer.Option("--keep-dangling", help="Keep the dependencies of others on what is gone.")
    ] = False,
) -> Plan:
    """Forget instances; the real objects go on existing, and nothing manages them any more.

    Dependencies of others on a resource that is gone as a whole are dropped.
    """

    def operation(snapshot: Snapshot) -> Edit:
        found = choose(snapshot, chosen, selectors)
        return rm(snapshot, [instance.addr for instance in found], keep_dangling=keep_dangling)

    return Plan("rm", operation, asks=True)
