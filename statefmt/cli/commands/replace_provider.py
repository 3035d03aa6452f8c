"""`statetool replace-provider`: binds resources to another provider or provider configuration."""

from __future__ import annotations

from typing import Annotated

import typer

from statefmt.analysis.selection import Criteria
from statefmt.cli.options.selecting import criteria
from statefmt.cli.options.surgery_options import SurgeryOptions, WholeResourceOption, surgery_options
from statefmt.cli.options.takes import takes
from statefmt.cli.surgery import Plan, carry_out, choose
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.replace_provider import parse_replaced, replace_provider
from statefmt.model.snapshot import Snapshot


@takes(chosen=criteria, options=surgery_options)
def command(
    old: Annotated[
        str,
        typer.Argument(
            metavar="FROM", help='A source (hashicorp/aws), or a configuration (provider["hashicorp/aws"].west).'
        ),
    ],
    new: Annotated[str, typer.Argument(metavar="TO", help="The source, or the configuration, that replaces it.")],
    whole_resource: WholeResourceOption = False,
    *,
    chosen: Criteria,
    options: SurgeryOptions,
) -> int:
    """Replace a provider, or one of its configurations, in all resources or in the selected ones.

    If FROM and TO are sources, each resource keeps its module, alias and keys.
    """
    replaced, replacement = parse_replaced(old), parse_replaced(new)

    def operation(snapshot: Snapshot) -> Edit:
        found = None if chosen == Criteria() else [instance.addr for instance in choose(snapshot, chosen)]
        return replace_provider(snapshot, replaced, replacement, found, whole_resource=whole_resource)

    return carry_out(Plan("replace-provider", operation, asks=True), options)
