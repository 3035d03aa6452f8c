"""The options of all surgery commands: which state, how to write it, and what to compare it with."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from typer import Option

from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.groups import COMMON
from statefmt.cli.options.shared import ShowSensitiveOption, StateOption
from statefmt.cli.options.takes import takes
from statefmt.cli.options.write import WriteOptions, write_options

WholeResourceOption = Annotated[
    bool, Option("--whole-resource", help="Extend the selection to all instances of each resource.")
]

NewProviderOption = Annotated[
    bool, Option("--new-provider", help="Allow a provider that neither the state nor --config knows.")
]

AsBlocksOption = Annotated[
    bool,
    Option(
        "--as-blocks",
        help="Print moved, removed and import blocks that do the same; write nothing.",
        rich_help_panel=COMMON,
    ),
]


class SurgeryOptions(NamedTuple):
    """The options of a surgery command."""

    state: str | None
    write: WriteOptions
    show_sensitive: bool
    configuration: ConfigurationOptions


@takes(write=write_options, configuration=configuration_options)
def surgery_options(
    *,
    state: StateOption = None,
    write: WriteOptions,
    show_sensitive: ShowSensitiveOption = False,
    configuration: ConfigurationOptions,
) -> SurgeryOptions:
    """Return the options as one value."""
    return SurgeryOptions(state, write, show_sensitive, configuration)
