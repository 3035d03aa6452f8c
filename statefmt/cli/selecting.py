"""The arguments and options by which commands select resource instances."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from statefmt.selection import Criteria

SelectorsArgument = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
    typer.Argument(
        metavar="[SELECTOR]...",
        help="Addresses of instances, of resources (all their instances) or of modules (everything below).",
    ),
]


def criteria(selectors: list[str] | None) -> Criteria:
    """What was asked for on the command line."""
    return Criteria(selectors=tuple(selectors or ()))
