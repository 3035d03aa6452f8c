"""Options and arguments that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from typer import Argument, BadParameter, Option

from statefmt.cli.options.groups import COMMON, LAYOUT
from statefmt.snapshots import Layout, Style

StateArgument = Annotated[
    str | None,
    Argument(
        metavar="[STATE]",
        help="A state: a file, a folder, a URL, or - for standard input; default: the current folder.",
    ),
]
StatesArgument = Annotated[
    list[str] | None,
    Argument(metavar="[STATE]...", help="States: files, folders, URLs or -; default: the current folder."),
]
FolderArgument = Annotated[
    str | None, Argument(metavar="[DIR]", help="The folder of a root module, or a URL; default: the current folder.")
]
StateOption = Annotated[
    str | None,
    Option(
        "--state",
        metavar="PATH",
        help="The state: a file, a folder, a URL, or - for standard input.",
        rich_help_panel=COMMON,
    ),
]
DropUnknownOption = Annotated[
    bool, Option("--drop-unknown", help="Drop unknown members, as OpenTofu does.", rich_help_panel=LAYOUT)
]
ShowSensitiveOption = Annotated[
    bool, Option("--show-sensitive", help="Show sensitive values instead of (sensitive value).", rich_help_panel=COMMON)
]
AgreedOption = Annotated[bool, Option("--yes", "-y", help="Do not ask for confirmation.", rich_help_panel=COMMON)]
YesOption = Annotated[
    bool,
    Option(
        "--yes",
        "-y",
        help="Do not ask for confirmation, and overwrite an existing output file.",
        rich_help_panel=COMMON,
    ),
]


VersionOption = Annotated[
    str | None, Option("--version", metavar="ID", help="Use this earlier version, which `versions` lists.")
]


class StyleChoice(StrEnum):
    """The layout to write."""

    KEEP = "keep"
    INDENT = "indent"
    COMPACT = "compact"

    @property
    def layout(self) -> Layout | None:
        """The layout to write; None to keep the style of the file."""
        return None if self is StyleChoice.KEEP else Layout(self.value)

    def applied_to(self, style: Style) -> Style:
        """Return the style to write, given the file's own."""
        return style if self.layout is None else Style(self.layout)


class OutputFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[OutputFormat, Option("--format", show_default=False, help="The output format; default: text.")]


def one_state(argument: str | None, option: str | None) -> str | None:
    """Return the state named as an argument or with --state. Raises BadParameter for both."""
    if argument is not None and option is not None:
        raise BadParameter("name the state once, as an argument or with --state", param_hint="--state")
    return argument if argument is not None else option
