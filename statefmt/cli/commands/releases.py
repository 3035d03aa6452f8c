"""`statetool releases`: shows what each release of OpenTofu and Terraform reads, writes and keeps of a state."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import Argument

from statefmt.cli.command import declared
from statefmt.cli.options.configuration import parsed_release
from statefmt.cli.options.shared import FormatOption, OutputFormat
from statefmt.cli.outcome import FINE
from statefmt.cli.streams import result_terminal
from statefmt.releases import all_releases


@declared(
    paged=True,
    decrypts=False,
    connects=False,
    examples=(
        ("Compare all releases.", "statetool releases"),
        ("Show what one release reads, writes and keeps.", "statetool releases opentofu-1.8"),
    ),
)
def releases_command(
    release_name: Annotated[
        str | None,
        Argument(metavar="[RELEASE]", help="Show one release, with the source of each fact: opentofu-1.8 or 1.8."),
    ] = None,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show what each release of OpenTofu and Terraform reads, writes and keeps of a state."""
    releases = all_releases() if release_name is None else [parsed_release(release_name, "RELEASE")]
    if output_format is OutputFormat.JSON:
        from statefmt.render.releases import releases_json

        sys.stdout.buffer.write(releases_json(releases))
        return FINE
    from statefmt.render.releases import release_page, releases_table

    if release_name is None:
        print(releases_table(releases, result_terminal()))
    else:
        print(release_page(releases[0], result_terminal()))
    return FINE
