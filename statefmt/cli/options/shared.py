"""Options that several commands share, their headings in the help, and the notation of durations."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

from typer import Argument, BadParameter, Option

from statefmt.cli.run import current_run, use_run
from statefmt.cli.streams import end_paging
from statefmt.snapshots import Layout, Style
from statefmt.text import pattern

# The headings of shared options in the help of a command.
PROVIDERS: Final = "Provider sources"
LAYOUT: Final = "Layout"
SELECTION: Final = "Selection"
COMMON: Final = "Common options"
FOLDER: Final = "State of a folder"
STATES: Final = "Between states"
CRASH: Final = "After a crash"
BACKEND: Final = "State in a backend"
CONFIGURATION: Final = "Configuration"
ENCRYPTION: Final = "Encryption"
CLUSTER: Final = "Dask cluster"
# In this order.
GROUPS: Final = (
    *(PROVIDERS, LAYOUT, SELECTION, STATES, COMMON, CRASH, CLUSTER, FOLDER, BACKEND, CONFIGURATION, ENCRYPTION),
)


def _use_colour(value: str | None) -> None:
    if value is None:
        return
    if value not in ("auto", "always", "never"):
        raise BadParameter("must be auto, always or never", param_hint="--color")
    use_run(current_run()._replace(colour=value))


def _use_no_pager(given: bool) -> None:
    if given:
        end_paging()


ColourOption = Annotated[
    str | None,
    Option(
        "--color",
        metavar="WHEN",
        callback=_use_colour,
        help="Use colour: auto (the default), always or never. NO_COLOR is honoured.",
        rich_help_panel=COMMON,
    ),
]
NoPagerOption = Annotated[
    bool,
    Option(
        "--no-pager",
        # Before --help, which prints.
        is_eager=True,
        callback=_use_no_pager,
        help="Do not send long output on a terminal to PAGER.",
        rich_help_panel=COMMON,
    ),
]


def display_options(*, color: ColourOption = None, no_pager: NoPagerOption = False) -> None:
    """Accept the options, whose callbacks do everything."""


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


class PlanPart(StrEnum):
    """A state in a plan file."""

    PRIOR = "prior"
    PREVIOUS = "previous"


PartOption = Annotated[
    PlanPart | None,
    Option(
        "--part",
        help="Read a state in the plan file --state: previous, after moves, or prior, refreshed besides.",
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
        """Return the style to write, given the style of the file."""
        return style if self.layout is None else Style(self.layout)


class OutputFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[OutputFormat, Option("--format", help="The output format; default: text.")]


def one_state(argument: str | None, option: str | None) -> str | None:
    """Return the state given as an argument or with --state. Raises BadParameter for both."""
    if argument is not None and option is not None:
        raise BadParameter("name the state once, as an argument or with --state", param_hint="--state")
    return argument if argument is not None else option


_PART: Final = pattern(r"([0-9]+(?:\.[0-9]+)?)([a-z]*)")
_SECONDS: Final = {"w": 604_800.0, "d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "": 1.0}


class Notation(NamedTuple):
    """The values of an option: their name in messages, examples, and the units; "" is a number without a unit.

    Options have different units: `30m` is a timeout, but could mean 30 months as an age.
    """

    what: str
    examples: str
    units: frozenset[str]
    is_single: bool = False


# Go's notation, as in OpenTofu.
TIMEOUT: Final = Notation("a duration", "10s, 500ms or 1m30s", frozenset(("h", "m", "s", "ms", "")))
AGE: Final = Notation("an age", "12h, 30d or 8w", frozenset("hdw"), is_single=True)
# In seconds, about 190 years: an age must stay a date, and an infinite timeout cannot be waited for.
_LONGEST: Final = 9999 * _SECONDS["w"]


def seconds(text: str, option: str, notation: Notation = TIMEOUT) -> float:
    """Convert a duration to seconds. Raises BadParameter for `option` if the notation does not allow it."""
    parts = _PART.findall(text)
    is_valid = bool(parts) and not _PART.sub("", text) and all(unit in notation.units for _, unit in parts)
    if notation.is_single and (len(parts) != 1 or not parts[0][0].isdigit()):
        is_valid = False
    found = math.fsum(float(number) * _SECONDS[unit] for number, unit in parts) if is_valid else math.inf
    if found > _LONGEST:
        raise BadParameter(f"{text!r} is not {notation.what}: write {notation.examples}", param_hint=option)
    return found
