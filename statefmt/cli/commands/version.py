"""`statetool version`: shows the version."""

from __future__ import annotations

import sys

from statefmt import __version__
from statefmt.cli.exit_status import FINE
from statefmt.cli.options.shared import FormatOption, OutputFormat
from statefmt.cli.options.takes import declared


@declared(
    paged=False,
    decrypts=False,
    connects=False,
    examples=(
        ("Show the version.", "statetool version"),
        ("Print it for a program.", "statetool version --format json"),
    ),
)
def version_command(output_format: FormatOption = OutputFormat.TEXT) -> int:
    """Show the version of statetool, like `statetool --version`."""
    if output_format is OutputFormat.JSON:
        from statefmt.render.json_output import document

        sys.stdout.buffer.write(document({"version": __version__}))
    else:
        print(f"statetool {__version__}")
    return FINE
