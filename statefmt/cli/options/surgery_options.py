"""The options of every command of surgery: which state, and how it is written."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

from statefmt.cli.options.shared import ShowSensitiveOption, StateOption
from statefmt.cli.options.takes import takes
from statefmt.cli.options.write import WriteOptions, write_options

WholeResourceOption = Annotated[
    bool, typer.Option("--whole-resource", help="Take all instances of a resource along with those that are selected.")
]


class SurgeryOptions(NamedTuple):
    """What was asked for."""

    state: str | None
    write: WriteOptions
    show_sensitive: bool


@takes(write=write_options)
def surgery_options(
    *, state: StateOption = None, write: WriteOptions, show_sensitive: ShowSensitiveOption = False
) -> SurgeryOptions:
    """The options as one value."""
    return SurgeryOptions(state, write, show_sensitive)
