"""`statetool forget-deposed`: deposed objects forgotten, and the instances kept."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from statefmt.cli.selecting import criteria
from statefmt.cli.surgery import Plan, carry_out, choose
from statefmt.cli.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.takes import takes
from statefmt.selection import Criteria
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.forget_deposed import forget_deposed


@takes(chosen=criteria, options=surgery_options)
def command(
    key: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(metavar="KEY", help="Only the deposed object with this key, as list --long shows it."),
    ] = None,
    *,
    chosen: Criteria,
    options: SurgeryOptions,
) -> int:
    """Forget deposed objects: what a replacement left over and did not destroy.

    The real objects go on existing, and nothing destroys them any more.
    """

    def operation(snapshot: Snapshot) -> Edit:
        return forget_deposed(snapshot, choose(snapshot, chosen), key)

    return carry_out(Plan("forget-deposed", operation, asks=True), options)
