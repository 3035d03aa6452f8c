"""The releases that are named on the command line."""

from __future__ import annotations

import typer

from statefmt.errors import ReleaseError
from statefmt.statefile.releases import Release, parse_release


def parsed_release(name: str, option: str = "--for") -> Release:
    """The release that an option names."""
    try:
        return parse_release(name)
    except ReleaseError as error:
        raise typer.BadParameter(str(error), param_hint=option) from error
