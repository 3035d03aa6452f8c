"""`statetool untaint`: instances that need not be replaced after all."""

from __future__ import annotations

from statefmt.cli.selecting import SelectorsArgument
from statefmt.cli.surgery import Plan, choose, surgery
from statefmt.selection import Criteria
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.taint import untaint


@surgery
def command(chosen: Criteria, selectors: SelectorsArgument = None) -> Plan:
    """Take the mark of tainted instances away, so that the next plan keeps them."""

    def operation(snapshot: Snapshot) -> Edit:
        return untaint(snapshot, choose(snapshot, chosen, selectors))

    return Plan("untaint", operation)
