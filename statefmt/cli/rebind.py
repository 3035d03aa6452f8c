"""`statetool rebind`: instances bound to another provider instance."""

from __future__ import annotations

import re
from typing import Annotated, Final, Optional

import typer

from statefmt.addrs import AbsProviderInstance, parse_abs_provider_instance
from statefmt.cli.surgery import Plan, WholeResourceOption, choose, surgery
from statefmt.errors import SelectionError
from statefmt.selection import Criteria
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.key_map import parse_key_map
from statefmt.surgery.rebind import rebind

# Resources have no type of this name, so that nothing else looks like it.
_PROVIDER: Final = re.compile(r"(^|\.)provider\[")


@surgery
def command(
    chosen: Criteria,
    words: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(
            metavar="[SELECTOR]... [PROVIDER_INSTANCE]",
            help='What to bind, and to which provider instance: \'provider["hashicorp/aws"].by_region["eu"]\'.',
        ),
    ] = None,
    keys: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--map", metavar="OLD=NEW,...", help="Which provider key becomes which, each instance its own."),
    ] = None,
    whole_resource: WholeResourceOption = False,
) -> Plan:
    """Bind instances to another provider instance.

    A few instances of a resource can go to another instance of their provider configuration; to another configuration,
    they can only go all together. With --map, PROVIDER_INSTANCE is the configuration they all go to, or is left out.
    """
    selectors, to = _parted(words or [])
    if to is None and not keys:
        raise typer.BadParameter("name the provider instance at the end, or map keys with --map", param_hint="words")
    mapping = parse_key_map(keys) if keys else None

    def operation(snapshot: Snapshot) -> Edit:
        found = choose(snapshot, chosen, selectors)
        return rebind(snapshot, found, to, mapping=mapping, whole_resource=whole_resource)

    return Plan("rebind", operation)


def _parted(words: list[str]) -> tuple[list[str], AbsProviderInstance | None]:
    """The selectors, and the provider instance after them."""
    found = [word for word in words if _PROVIDER.search(word)]
    if not found:
        return words, None
    if found != words[-1:]:
        raise SelectionError(f"{found[0]}: one provider instance is named, and it comes last")
    return words[:-1], parse_abs_provider_instance(found[0])
