"""`statetool set-serial` and `new-lineage`: set the serial and the lineage of a state."""

from __future__ import annotations

from functools import partial
from typing import Annotated
from uuid import uuid4

from typer import Argument

from statefmt.cli.command import declared, examples, takes
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.surgery import SurgeryOptions, carry_out, surgery_options
from statefmt.operations import new_lineage, set_serial


@examples(
    ("Set the serial above that of a remote state.", "statetool set-serial 1000"),
    ("Do so only if the state has not changed.", "statetool set-serial 1000 --expect-serial 58"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=surgery_options)
def set_serial_command(
    serial: Annotated[int, Argument(metavar="SERIAL", help="The new serial.")],
    state: StateArgument = None,
    state_option: StateOption = None,
    *,
    options: SurgeryOptions,
) -> int:
    """Set the serial of a state, which tells backends which of two states is newer."""
    return carry_out("set-serial", partial(set_serial, serial=serial), options, state=one_state(state, state_option))


@examples(
    ("Make a copy independent of its original.", "statetool new-lineage copy.tfstate"),
    ("Keep the original, and write the copy.", "statetool new-lineage --out copy.tfstate"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=surgery_options)
def new_lineage_command(
    state: StateArgument = None, state_option: StateOption = None, *, options: SurgeryOptions
) -> int:
    """Give a state a new lineage, so that no backend takes it for a later version of another state."""
    operation = partial(new_lineage, lineage=uuid4())
    return carry_out("new-lineage", operation, options, state=one_state(state, state_option))
