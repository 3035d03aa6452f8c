"""The option --encryption of all commands that read states: it opens those that are encrypted."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from statefmt.encryption import Configuration


def encryption_option() -> click.Option:
    """The option. Nothing is read before an encrypted state is met."""
    return click.Option(
        ["--encryption"],
        metavar="FILE",
        expose_value=False,
        callback=_use,
        help="Open and write encrypted states with this configuration; default: TF_ENCRYPTION.",
    )


def _use(context: click.Context, parameter: click.Parameter, file: str | None) -> None:
    # Imported here, since a command that only shows its help needs none of it.
    from statefmt.sealed import use_configuration

    @functools.cache
    def configured() -> Configuration | None:
        # Imported here, since nearly every state is plain.
        from statefmt.cli.encryption_option import configuration_from

        return configuration_from(file)

    use_configuration(configured)
    if file is not None:
        # What is said on purpose must be right, whatever the state turns out to be.
        configured()
