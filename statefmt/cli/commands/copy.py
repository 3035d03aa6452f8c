"""`statetool copy`: copies a state from one place to another."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from statefmt.backends import PlaceName, route
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.options.transfer_options import TransferOptions, transfer_options
from statefmt.cli.run import run_context
from statefmt.cli.transfer import copied


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Save the state of this directory in a file, byte for byte.", "statetool copy . saved.tfstate"),
        ("Show what copying it back would do.", "statetool copy saved.tfstate . --dry-run"),
        (
            "Copy the state of a workspace to another one.",
            "statetool copy . . --from-workspace prod --to-workspace blue",
        ),
    ),
)
@takes(options=transfer_options)
def copy_command(
    source: Annotated[str, Argument(metavar="FROM_STATE", help="A state file, a folder that has one, or a URL.")],
    target: Annotated[str, Argument(metavar="TO_STATE", help="The same; nothing needs to be there yet.")],
    from_workspace: Annotated[
        str | None, Option(metavar="WORKSPACE", help="Copy from this workspace of the folder, not the current one.")
    ] = None,
    to_workspace: Annotated[
        str | None, Option(metavar="WORKSPACE", help="Copy to this workspace of the folder, not the current one.")
    ] = None,
    *,
    options: TransferOptions,
) -> int:
    """Copy a state to another place byte for byte: a file, or the state of a folder in its backend.

    Unlike `state push`, this keeps the serial and the bytes; an encrypted state stays as it is. Both places are locked,
    and the copy is verified by its hash. A target that has a state is replaced only if that has the same lineage and a
    lower serial; it keeps a backup. The source is not changed.
    """
    one = route(run_context(), PlaceName(source, from_workspace), PlaceName(target, to_workspace))
    return FAILED if copied([one], options, "copy") is None else FINE
