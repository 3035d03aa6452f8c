"""Options and arguments that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Optional

import typer

from statefmt.formats.style import Layout, Style

StateArgument = Annotated[
    Optional[str],  # noqa: UP045 - typer reads the annotation at run time
    typer.Argument(metavar="[STATE]", help="A state file, or - for standard input; default: the current workspace's."),
]
StatesArgument = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Argument(metavar="[STATE]...", help="State files, or -; default: the current workspace's state."),
]
StateOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--state", metavar="PATH", help="The state file, or - for standard input."),
]
DropUnknownOption = Annotated[
    bool, typer.Option("--drop-unknown", help="Drop the members that statetool does not know, as OpenTofu does.")
]
ShowSensitiveOption = Annotated[
    bool, typer.Option("--show-sensitive", help="Show sensitive values instead of (sensitive value).")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, and replace an existing output file.")]


class StyleChoice(StrEnum):
    """How to lay out what is written."""

    KEEP = "keep"
    INDENT = "indent"
    COMPACT = "compact"

    def applied_to(self, style: Style) -> Style:
        """The style to write, given the file's own."""
        return style if self is StyleChoice.KEEP else Style(Layout(self.value))


class OutputFormat(StrEnum):
    """How to show a result."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[
    OutputFormat, typer.Option("--format", show_default=False, help="How to show the result; default: text.")
]


def one_state(argument: str | None, option: str | None) -> str | None:
    """The state that was named, as an argument or with --state."""
    if argument is not None and option is not None:
        raise typer.BadParameter("name the state once, as an argument or with --state", param_hint="--state")
    return argument if argument is not None else option
