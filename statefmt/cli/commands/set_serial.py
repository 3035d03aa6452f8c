"""`statetool set-serial`: sets the serial of a state."""

from __future__ import annotations

from typing import Annotated

from typer import Argument

from statefmt import Edit, Snapshot
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.surgery import Plan, carry_out
from statefmt.operations import set_serial


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Set the serial above that of a remote state.", "statetool set-serial 1000"),
        ("Do so only if the state has not changed.", "statetool set-serial 1000 --expect-serial 58"),
    ),
)
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
