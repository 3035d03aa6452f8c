"""`statetool where`, `workspaces` and `versions`: show where the state of a folder is, and what else is kept there."""

from __future__ import annotations

import sys

from statefmt.cli.command import declared, examples
from statefmt.cli.named_state import named_folder, state_name
from statefmt.cli.options.shared import (
    FolderArgument,
    FormatOption,
    OutputFormat,
    StateArgument,
    StateOption,
    one_state,
)
from statefmt.cli.outcome import FINE
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say
from statefmt.locations import found_state, history_folder, kept_versions, workspaces
from statefmt.render.stores import versions_json, versions_text


@examples(
    ("Show where the state of this directory is, and what says so.", "statetool where"),
    ("Show where another workspace of another root module has its state.", "statetool where infra --workspace prod"),
    ("Show what init would find with other settings.", "statetool where --backend-config prod.s3.tfbackend"),
)
@declared(paged=True, decrypts=False, connects=False)
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
        from statefmt.render.stores import where_json

        sys.stdout.buffer.write(where_json(found, history))
    else:
        from statefmt.render.stores import where_text

        print(where_text(found, history, result_terminal()))
    return FINE


@examples(
    ("List the workspaces of this directory; a star marks the current one.", "statetool workspaces"),
    ("List those of another root module for a program.", "statetool workspaces infra --format json"),
)
@declared(paged=True, decrypts=False, connects=True)
def workspaces_command(
    folder: FolderArgument = None, state_option: StateOption = None, output_format: FormatOption = OutputFormat.TEXT
) -> int:
    """List the workspaces of a folder that have a state, and default, and mark the current one with a star.

    Lists those in files and in the backends http, pg and s3. For others, the command that lists them is shown.
    """
    found = workspaces(run_context(), named_folder(one_state(folder, state_option)))
    if output_format is OutputFormat.JSON:
        from statefmt.render.stores import workspaces_json

        sys.stdout.buffer.write(workspaces_json(found))
    else:
        from statefmt.render.stores import workspaces_text

        print(workspaces_text(found, result_terminal()))
    return FINE


@examples(
    ("List the versions of the state of this directory; a star marks the current one.", "statetool versions"),
    ("List those of a state in a bucket for a program.", "statetool versions s3://states/app.tfstate --format json"),
)
@declared(paged=True, decrypts=False, connects=True)
def versions_command(
    state: StateArgument = None, state_option: StateOption = None, output_format: FormatOption = OutputFormat.TEXT
) -> int:
    """List the versions of a state that its service keeps, newest first: S3 in a versioned bucket.

    They are there whoever wrote them, and as long as the service keeps them. The edits that statetool made to a state
    are in its history, wherever the state is.
    """
    named = one_state(state, state_option)
    found = kept_versions(run_context(), named)
    name = state_name(named, to_read=True)
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(versions_json(name, found))
        return FINE
    if found:
        print(versions_text(found, result_terminal()))
        sys.stdout.flush()
    if len(found) < 2:
        say(f"statetool: {name}: no earlier versions are kept; `statetool history` lists the edits by statetool")
    return FINE
