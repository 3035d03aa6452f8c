"""`statetool where`: shows where the state of a folder is, and what says so."""

from __future__ import annotations

import sys

from statefmt.cli.exit_status import FINE
from statefmt.cli.named_state import named_folder
from statefmt.cli.options.shared import FolderArgument, FormatOption, OutputFormat, StateOption, one_state
from statefmt.cli.options.takes import declared
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal
from statefmt.locations import found_state, history_folder


@declared(
    paged=True,
    decrypts=False,
    connects=False,
    examples=(
        ("Show where the state of this directory is, and what says so.", "statetool where"),
        (
            "Show where another workspace of another root module has its state.",
            "statetool where infra --workspace prod",
        ),
        ("Show what init would find with other settings.", "statetool where --backend-config prod.s3.tfbackend"),
    ),
)
def where_command(
    folder: FolderArgument = None, state_option: StateOption = None, output_format: FormatOption = OutputFormat.TEXT
) -> int:
    """Show where the state of a folder and workspace is, how it is locked, and what each setting comes from.

    The backend is the one that `init` recorded, else that of the configuration; with --backend-config, that of the
    configuration as `init` would read it. Nothing is connected to, and no secret is shown.
    """
    found = found_state(run_context(), named_folder(one_state(folder, state_option)))
    history = history_folder(run_context(), found)
    if output_format is OutputFormat.JSON:
        from statefmt.render.whereabouts import where_json

        sys.stdout.buffer.write(where_json(found, history))
    else:
        from statefmt.render.whereabouts import where_text

        print(where_text(found, history, result_terminal()))
    return FINE
