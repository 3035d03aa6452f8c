"""`statetool untaint`: removes the tainted mark from instances."""

from __future__ import annotations

from functools import partial

from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.surgery import Plan, carry_out
from statefmt.operations import untaint
from statefmt.selection import Criteria


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Keep an instance that is tainted.", "statetool untaint 'aws_instance.web[0]'"),
        ("Keep all tainted instances of a module.", "statetool untaint module.app --tainted"),
    ),
)
@takes(chosen=criteria, options=surgery_options)
def untaint_command(*, chosen: Criteria, options: SurgeryOptions) -> int:
    """Remove the tainted mark from instances, so that the next plan keeps them."""
    return carry_out(Plan("untaint", partial(untaint, chosen=chosen, note=tell)), options)
