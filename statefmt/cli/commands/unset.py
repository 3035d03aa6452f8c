"""`statetool unset`: unsets attributes of instances."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from statefmt.analysis.selection import Criteria
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import takes
from statefmt.cli.surgery import Plan, carry_out
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.unset import unset_attributes
from statefmt.edit.requests.choose import choose
from statefmt.model.snapshot import Snapshot

EXAMPLES: Final = (
    ("Remove a tag.", "statetool unset aws_instance.web tags.env"),
    ("Set an attribute to null, after a look at the changes.", "statetool unset --dry-run aws_instance.web user_data"),
)


@takes(options=surgery_options)
def command(
    selector: Annotated[str, typer.Argument(metavar="SELECTOR", help="The instances, by address or pattern.")],
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="What to unset: tags.env.")],
    *,
    options: SurgeryOptions,
) -> int:
    """Unset attributes of instances: set them to null, or remove them from a map.

    Everything else keeps its bytes.
    """

    def operation(snapshot: Snapshot) -> Edit:
        found = choose(snapshot, Criteria(selectors=(selector,)))
        return unset_attributes(snapshot, found, paths, allow_sensitive=True)

    return carry_out(Plan("unset", operation, asks=True), options)
