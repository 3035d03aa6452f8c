"""Parses releases named on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer import BadParameter

from statefmt import ReleaseError

if TYPE_CHECKING:
    from statefmt.releases import Release


def parsed_release(name: str, option: str = "--for") -> Release:
    """Parse the release that an option names. Raises BadParameter."""
    # Imported late: most runs name no release.
    from statefmt.releases import parse_release

    try:
        return parse_release(name)
    except ReleaseError as error:
        raise BadParameter(str(error), param_hint=option) from error
