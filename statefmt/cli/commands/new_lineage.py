"""`statetool new-lineage`: gives a state a new lineage."""

from __future__ import annotations

from uuid import uuid4

from statefmt import Edit, Snapshot
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.surgery import Plan, carry_out
from statefmt.operations import new_lineage


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Make a copy independent of its original.", "statetool new-lineage copy.tfstate"),
        ("Keep the original, and write the copy.", "statetool new-lineage --out copy.tfstate"),
    ),
)
@takes(options=surgery_options)
def new_lineage_command(
    state: StateArgument = None, state_option: StateOption = None, *, options: SurgeryOptions
) -> int:
    """Give a state a new lineage, so that no backend takes it for a later version of another state."""
    lineage = uuid4()

    def operation(snapshot: Snapshot) -> Edit:
        return new_lineage(snapshot, lineage)

    return carry_out(Plan("new-lineage", operation, state=one_state(state, state_option)), options)
