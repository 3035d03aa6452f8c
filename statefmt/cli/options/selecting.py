"""The arguments and options that select resource instances."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Option

from statefmt import InvalidAddressError
from statefmt.addrs import ResourceMode
from statefmt.cli.options.shared import SELECTION
from statefmt.cli.run import SHOW_SENSITIVE, was_given
from statefmt.cli.streams import say
from statefmt.locations import STANDARD_INPUT
from statefmt.selection import Criteria
from statefmt.text import shell_word

if TYPE_CHECKING:
    from statefmt.selection import Condition


class ModeChoice(StrEnum):
    """The modes of resources."""

    MANAGED = "managed"
    DATA = "data"


SelectorsArgument = Annotated[
    list[str] | None,
    Argument(
        metavar="[SELECTOR]...",
        help="Addresses of instances, of resources (all their instances) or of modules (everything below), "
        "or patterns: 'module.*.aws_instance.web[*]', '**.aws_vpc.main'.",
    ),
]
ExcludeOption = Annotated[
    list[str] | None,
    Option(
        "--exclude", metavar="SELECTOR", help="Exclude instances that match this selector.", rich_help_panel=SELECTION
    ),
]
TypeOption = Annotated[
    list[str] | None,
    Option("--type", metavar="TYPE", help="Only this resource type, or pattern: 'aws_*'.", rich_help_panel=SELECTION),
]
ModeOption = Annotated[
    list[ModeChoice] | None,
    Option("--mode", help="Only managed resources, or only data resources.", rich_help_panel=SELECTION),
]
ProviderOption = Annotated[
    list[str] | None,
    Option(
        "--provider",
        metavar="PROVIDER",
        help="Only instances bound to this provider (aws, hashicorp/aws), configuration (aws.west), instance "
        "('aws.by_region[\"eu\"]'), or to a pattern of these.",
        rich_help_panel=SELECTION,
    ),
]
IdOption = Annotated[
    list[str] | None,
    Option("--id", metavar="ID", help="Only objects with this id, or pattern: 'i-0a*'.", rich_help_panel=SELECTION),
]
TaintedOption = Annotated[bool, Option("--tainted", help="Only tainted instances.", rich_help_panel=SELECTION)]
DeposedOption = Annotated[
    bool, Option("--deposed", help="Only instances with deposed objects.", rich_help_panel=SELECTION)
]
WhereOption = Annotated[
    list[str] | None,
    Option(
        "--where",
        metavar="PATH=VALUE",
        help="Only instances whose attribute has this value, or matches this pattern: 'tags.Owner=web-*'. PATH!=VALUE "
        "negates, PATH=~REGEX searches, and [*] in PATH is any element: 'ingress[*].port=22'. All must match.",
        rich_help_panel=SELECTION,
    ),
]


_URLS: Final = ("s3://", "pg://", "http://", "https://")


def refuse_state_names(selectors: Iterable[str]) -> None:
    """Raise InvalidAddressError if a selector names a state.

    Otherwise `list prod.tfstate` and `list -` would report that the default state is missing, or has no such resource.
    """
    for selector in selectors:
        if selector == STANDARD_INPUT:
            raise InvalidAddressError("address", selector, "use --state - to read the state from standard input")
        if selector.startswith(_URLS):
            raise InvalidAddressError(
                "address", selector, f"it is a URL; use --state {shell_word(selector)} to name the state"
            )
        if selector.endswith(".tfstate") and os.path.isfile(selector):  # noqa: PTH113 - Path.is_file may raise
            raise InvalidAddressError(
                "address", selector, f"it is a file; use --state {shell_word(selector)} to name the state"
            )


def criteria(
    selectors: SelectorsArgument = None,
    *,
    excluded: ExcludeOption = None,
    types: TypeOption = None,
    modes: ModeOption = None,
    providers: ProviderOption = None,
    ids: IdOption = None,
    where: WhereOption = None,
    tainted: TaintedOption = False,
    deposed: DeposedOption = False,
) -> Criteria:
    """Return the given criteria. Raises InvalidAddressError if a selector names a state."""
    refuse_state_names(selectors or ())
    return Criteria(
        selectors=tuple(selectors or ()),
        excluded=tuple(excluded or ()),
        types=tuple(types or ()),
        modes=tuple(ResourceMode(mode.value) for mode in modes or ()),
        providers=tuple(providers or ()),
        ids=tuple(ids or ()),
        conditions=_conditions(where),
        tainted=tainted,
        deposed=deposed,
    )


def tell(note: str) -> None:
    """Print a note on a selection."""
    say(f"statetool: {note}")


def _conditions(where: Sequence[str] | None) -> tuple[Condition, ...]:
    if not where:
        return ()
    from statefmt.selection import parse_condition

    # Every command that shows values has this option; others never compare sensitive values.
    show_sensitive = was_given(SHOW_SENSITIVE)
    return tuple(parse_condition(text, show_sensitive=show_sensitive) for text in where)
