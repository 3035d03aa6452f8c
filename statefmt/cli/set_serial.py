"""`statetool set-serial`: a state with another serial."""

from __future__ import annotations

from typing import Annotated

import typer

from statefmt.cli.surgery import Plan, surgery
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.envelope import set_serial


@surgery
def command(serial: Annotated[int, typer.Argument(metavar="SERIAL", help="The new serial.")]) -> Plan:
    """Set the serial of a state, by which a backend tells which of two states is newer."""

    def operation(snapshot: Snapshot) -> Edit:
        return set_serial(snapshot, serial)

    return Plan("set-serial", operation)
