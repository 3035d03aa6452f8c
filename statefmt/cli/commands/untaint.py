"""`statetool untaint`: removes the tainted mark from instances."""

from __future__ import annotations

from typing import Final

from statefmt.analysis.selection import Criteria
from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import takes
from statefmt.cli.surgery import Plan, carry_out
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.taint import untaint
from statefmt.edit.requests.choose import choose
from statefmt.model.snapshot import Snapshot

EXAMPLES: Final = (
    ("Keep an instance that is tainted.", "statetool untaint 'aws_instance.web[0]'"),
    ("Keep all tainted instances of a module.", "statetool untaint module.app --tainted"),
)


@takes(chosen=criteria, options=surgery_options)
def command(*, chosen: Criteria, options: SurgeryOptions) -> int:
    """Remove the tainted mark from instances, so that the next plan keeps them."""

    def operation(snapshot: Snapshot) -> Edit:
        return untaint(snapshot, choose(snapshot, chosen, tell))

    return carry_out(Plan("untaint", operation), options)
