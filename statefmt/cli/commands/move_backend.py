"""`statetool move-backend`: copies the states of all workspaces to another backend."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from statefmt.backends import backend_move
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.named_state import named_folder
from statefmt.cli.options.shared import OutputFormat
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.options.transfer_options import TransferOptions, transfer_options
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.cli.transfer import copied
from statefmt.render.stores import next_steps
from statefmt.render.whereabouts import backend_block


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        (
            "After the backend block was changed: show what moving all workspaces would do.",
            "statetool move-backend --dry-run",
        ),
        ("Move them, and delete the old states.", "statetool move-backend --delete-source"),
        ("Copy the states of a root module to the backend of another.", "statetool move-backend old new"),
    ),
)
@takes(options=transfer_options)
def move_backend_command(
    source: Annotated[
        str | None, Argument(metavar="[FROM_DIR]", help="The folder whose states are moved; default: the current one.")
    ] = None,
    target: Annotated[
        str | None,
        Argument(metavar="[TO_DIR]", help="The folder whose configuration names the new one; default: FROM_DIR."),
    ] = None,
    backend_config: Annotated[
        list[str] | None, Option(metavar="KEY=VALUE|FILE", help="Set arguments of the new backend block, as for init.")
    ] = None,
    delete_source: Annotated[
        bool, Option("--delete-source", help="At the end, delete each state in the version that was copied.")
    ] = False,
    *,
    options: TransferOptions,
) -> int:
    """Copy the states of all workspaces from a backend to another one, byte for byte, each verified by its hash.

    Without TO_DIR, they are copied from the backend that `init` recorded to the one that the configuration names by
    now, as `init -migrate-state` does. All states are compared before the first is written: if one is refused, as by
    `statetool copy`, none is written. After an interruption, the same command goes on.
    """
    move = backend_move(run_context(), named_folder(source), named_folder(target), backend_config or ())
    if copied(move.routes, options, "move-backend", delete_source=delete_source) is None:
        return FAILED
    if options.output_format is OutputFormat.TEXT:
        print(f"\n{backend_block(move.target)}")
    if not options.dry_run:
        for sentence in next_steps(move, deleted=delete_source):
            say(sentence)
    return FINE
