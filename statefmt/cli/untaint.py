"""`statetool untaint`: instances that need not be replaced after all."""

from __future__ import annotations

from statefmt.cli.selecting import criteria
from statefmt.cli.surgery import Plan, carry_out, choose
from statefmt.cli.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.takes import takes
from statefmt.selection import Criteria
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.taint import untaint


@takes(chosen=criteria, options=surgery_options)
def command(*, chosen: Criteria, options: SurgeryOptions) -> int:
    """Take the mark of tainted instances away, so that the next plan keeps them."""

    def operation(snapshot: Snapshot) -> Edit:
        return untaint(snapshot, choose(snapshot, chosen))

    return carry_out(Plan("untaint", operation), options)
