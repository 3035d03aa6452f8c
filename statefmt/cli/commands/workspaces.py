"""`statetool workspaces`: lists the workspaces of a folder."""

from __future__ import annotations

import sys

from statefmt.cli.exit_status import FINE
from statefmt.cli.named_state import named_folder
from statefmt.cli.options.shared import FolderArgument, FormatOption, OutputFormat, StateOption, one_state
from statefmt.cli.options.takes import declared
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal
from statefmt.locations import workspaces


@declared(
    paged=True,
    decrypts=False,
    connects=True,
    examples=(
        ("List the workspaces of this directory; a star marks the current one.", "statetool workspaces"),
        ("List those of another root module for a program.", "statetool workspaces infra --format json"),
    ),
)
def workspaces_command(
    folder: FolderArgument = None, state_option: StateOption = None, output_format: FormatOption = OutputFormat.TEXT
) -> int:
    """List the workspaces of a folder that have a state, and default, and mark the current one with a star.

    Lists those in files and in the backends http, pg and s3. For others, the command that lists them is shown.
    """
    found = workspaces(run_context(), named_folder(one_state(folder, state_option)))
    if output_format is OutputFormat.JSON:
        from statefmt.render.whereabouts import workspaces_json

        sys.stdout.buffer.write(workspaces_json(found))
    else:
        from statefmt.render.whereabouts import workspaces_text

        print(workspaces_text(found, result_terminal()))
    return FINE
