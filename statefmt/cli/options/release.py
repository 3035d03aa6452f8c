"""Parses releases named on the command line."""

from __future__ import annotations

from typer import BadParameter

from statefmt import ReleaseError
from statefmt.releases import Release, parse_release


def parsed_release(name: str, option: str = "--for") -> Release:
    """Parse the release that an option names. Raises BadParameter."""
    try:
        return parse_release(name)
    except ReleaseError as error:
        raise BadParameter(str(error), param_hint=option) from error
