"""`statetool unset`: single attributes of instances taken away."""

from __future__ import annotations

from typing import Annotated

import typer

from statefmt.cli.surgery import Plan, choose, surgery
from statefmt.selection import Criteria
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.unset import unset_attributes


@surgery
def command(
    selector: Annotated[str, typer.Argument(metavar="SELECTOR", help="The instances, by address or pattern.")],
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="What to unset: tags.env.")],
) -> Plan:
    """Unset single attributes of instances: to null, or taken out of a map; everything else keeps its bytes."""

    def operation(snapshot: Snapshot) -> Edit:
        found = choose(snapshot, Criteria(), [selector])
        return unset_attributes(snapshot, found, paths, allow_sensitive=True)

    return Plan("unset", operation, asks=True)
