"""`statetool replace-provider`: resources bound to another provider, or to another configuration of one."""

from __future__ import annotations

from typing import Annotated

import typer

from statefmt.cli.selecting import SelectorsArgument
from statefmt.cli.surgery import Plan, WholeResourceOption, choose, surgery
from statefmt.selection import Criteria
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.replace_provider import parse_replaced, replace_provider


@surgery
def command(
    chosen: Criteria,
    old: Annotated[
        str,
        typer.Argument(
            metavar="FROM", help='A source (hashicorp/aws), or a configuration (provider["hashicorp/aws"].west).'
        ),
    ],
    new: Annotated[str, typer.Argument(metavar="TO", help="The source, or the configuration, that replaces it.")],
    selectors: SelectorsArgument = None,
    whole_resource: WholeResourceOption = False,
) -> Plan:
    """Replace a provider by another, or one of its configurations, in all resources or in those that are selected.

    With two sources, each resource keeps its module, alias and keys.
    """
    replaced, replacement = parse_replaced(old), parse_replaced(new)

    def operation(snapshot: Snapshot) -> Edit:
        limited = selectors or chosen != Criteria()
        found = [instance.addr for instance in choose(snapshot, chosen, selectors)] if limited else None
        return replace_provider(snapshot, replaced, replacement, found, whole_resource=whole_resource)

    return Plan("replace-provider", operation, asks=True)
