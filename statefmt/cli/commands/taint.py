"""`statetool taint` and `untaint`: mark instances to be replaced by the next plan, or remove the mark."""

from __future__ import annotations

from functools import partial

from statefmt.cli.command import declared, examples, takes
from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.surgery import SurgeryOptions, carry_out, surgery_options
from statefmt.operations import taint, untaint
from statefmt.selection import Criteria


@examples(
    ("Have the next plan replace an instance.", "statetool taint 'aws_instance.web[0]'"),
    ("Have it replace all instances of a type in a module.", "statetool taint module.app --type aws_instance"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(chosen=criteria, options=surgery_options)
def taint_command(*, chosen: Criteria, options: SurgeryOptions) -> int:
    """Mark instances as tainted, so that the next plan replaces them."""
    return carry_out("taint", partial(taint, chosen=chosen, note=tell), options)


@examples(
    ("Keep an instance that is tainted.", "statetool untaint 'aws_instance.web[0]'"),
    ("Keep all tainted instances of a module.", "statetool untaint module.app --tainted"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(chosen=criteria, options=surgery_options)
def untaint_command(*, chosen: Criteria, options: SurgeryOptions) -> int:
    """Remove the tainted mark from instances, so that the next plan keeps them."""
    return carry_out("untaint", partial(untaint, chosen=chosen, note=tell), options)
