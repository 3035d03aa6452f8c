"""`statetool forget-deposed`: forgets deposed objects and keeps their instances."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from typer import Option

from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.surgery import Plan, carry_out
from statefmt.operations import forget_deposed
from statefmt.selection import Criteria


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Forget the deposed objects of an instance.", "statetool forget-deposed aws_instance.web"),
        ("Forget only one of them.", "statetool forget-deposed aws_instance.web --key 9c1ff8d2"),
        ("See all deposed objects that would be forgotten.", "statetool forget-deposed --dry-run --deposed"),
    ),
)
@takes(chosen=criteria, options=surgery_options)
def forget_deposed_command(
    key: Annotated[
        str | None,
        Option("--key", metavar="KEY", help="Only the deposed object with this key, as list --long shows it."),
    ] = None,
    *,
    chosen: Criteria,
    options: SurgeryOptions,
) -> int:
    """Forget deposed objects, which a replacement left behind without destroying them.

    The real objects continue to exist, and nothing will destroy them any more.
    """
    operation = partial(forget_deposed, chosen=chosen, key=key, note=tell)
    return carry_out(Plan("forget-deposed", operation, asks=True), options)
