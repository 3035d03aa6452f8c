"""`statetool versions`: lists the versions of a state that the service of its backend keeps."""

from __future__ import annotations

import sys

from statefmt.cli.exit_status import FINE
from statefmt.cli.named_state import state_name
from statefmt.cli.options.shared import FormatOption, OutputFormat, StateArgument, StateOption, one_state
from statefmt.cli.options.takes import declared
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say
from statefmt.locations import kept_versions


@declared(
    paged=True,
    decrypts=False,
    connects=True,
    examples=(
        ("List the versions of the state of this directory; a star marks the current one.", "statetool versions"),
        (
            "List those of a state in a bucket for a program.",
            "statetool versions s3://states/app.tfstate --format json",
        ),
    ),
)
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
        from statefmt.render.stores import versions_json

        sys.stdout.buffer.write(versions_json(name, found))
        return FINE
    if found:
        from statefmt.render.stores import versions_text

        print(versions_text(found, result_terminal()))
        sys.stdout.flush()
    if len(found) < 2:
        say(f"statetool: {name}: no earlier versions are kept; `statetool history` lists the edits by statetool")
    return FINE
