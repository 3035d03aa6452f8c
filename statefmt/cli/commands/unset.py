"""`statetool unset`: unsets attributes of instances."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from typer import Argument

from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.surgery import Plan, carry_out
from statefmt.operations import unset
from statefmt.selection import Criteria


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Remove a tag.", "statetool unset aws_instance.web tags.env"),
        (
            "Set an attribute to null, after a look at the changes.",
            "statetool unset --dry-run aws_instance.web user_data",
        ),
    ),
)
@takes(options=surgery_options)
def unset_command(
    selector: Annotated[str, Argument(metavar="SELECTOR", help="The instances, by address or pattern.")],
    paths: Annotated[list[str], Argument(metavar="PATH...", help="What to unset: tags.env.")],
    *,
    options: SurgeryOptions,
) -> int:
    """Unset attributes of instances: set them to null, or remove them from a map.

    Everything else keeps its bytes.
    """
    operation = partial(unset, chosen=Criteria(selectors=(selector,)), paths=paths)
    return carry_out(Plan("unset", operation, asks=True), options)
