"""`statetool taint`: instances to be replaced by the next plan."""

from __future__ import annotations

from statefmt.cli.selecting import SelectorsArgument
from statefmt.cli.surgery import Plan, choose, surgery
from statefmt.selection import Criteria
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.taint import taint


@surgery
def command(chosen: Criteria, selectors: SelectorsArgument = None) -> Plan:
    """Mark instances as tainted, so that the next plan replaces them."""

    def operation(snapshot: Snapshot) -> Edit:
        return taint(snapshot, choose(snapshot, chosen, selectors))

    return Plan("taint", operation)
