"""`statetool set-serial` and `new-lineage`: set the serial and the lineage of a state."""

from __future__ import annotations

from typing import Annotated
from uuid import uuid4

from typer import Argument

from statefmt import Edit, Snapshot
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.surgery import Plan, SurgeryOptions, carry_out, surgery_options
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

    def operation(snapshot: Snapshot) -> Edit:
        return set_serial(snapshot, serial)

    return carry_out(Plan("set-serial", operation, state=one_state(state, state_option)), options)


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
    lineage = uuid4()

    def operation(snapshot: Snapshot) -> Edit:
        return new_lineage(snapshot, lineage)

    return carry_out(Plan("new-lineage", operation, state=one_state(state, state_option)), options)
