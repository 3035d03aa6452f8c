"""`statetool forget-deposed`: deposed objects forgotten, and the instances kept."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from statefmt.cli.selecting import SelectorsArgument
from statefmt.cli.surgery import Plan, choose, surgery
from statefmt.selection import Criteria
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.forget_deposed import forget_deposed


@surgery
def command(
    chosen: Criteria,
    selectors: SelectorsArgument = None,
    key: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(metavar="KEY", help="Only the deposed object with this key, as list --long shows it."),
    ] = None,
) -> Plan:
    """Forget deposed objects: what a replacement left over and did not destroy.

    The real objects go on existing, and nothing destroys them any more.
    """

    def operation(snapshot: Snapshot) -> Edit:
        return forget_deposed(snapshot, choose(snapshot, chosen, selectors), key)

    return Plan("forget-deposed", operation, asks=True)
