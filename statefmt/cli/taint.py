"""`statetool taint`: instances to be replaced by the next plan."""

from __future__ import annotations

from statefmt.cli.selecting import criteria
from statefmt.cli.surgery import Plan, carry_out, choose
from statefmt.cli.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.takes import takes
from statefmt.selection import Criteria
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.taint import taint


@takes(chosen=criteria, options=surgery_options)
def command(*, chosen: Criteria, options: SurgeryOptions) -> int:
    """Mark instances as tainted, so that the next plan replaces them."""

    def operation(snapshot: Snapshot) -> Edit:
        return taint(snapshot, choose(snapshot, chosen))

    return carry_out(Plan("taint", operation), options)
