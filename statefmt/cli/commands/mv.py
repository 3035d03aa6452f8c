"""`statetool mv`: moves instances, resources and modules to other addresses."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from statefmt import Edit, Snapshot
from statefmt.cli.options.selecting import refuse_state_names
from statefmt.cli.options.surgery_options import AsBlocksOption, SurgeryOptions, surgery_options
from statefmt.cli.options.takes import takes
from statefmt.cli.surgery import Plan, carry_out
from statefmt.operations import module_depth, move

EXAMPLES: Final = (
    ("Rename a module.", "statetool mv module.net module.network"),
    ("Move one instance of a resource.", "statetool mv 'aws_vpc.main[0]' 'aws_vpc.main[\"eu\"]'"),
    ("Move all instances of a module; $1 is the key of each.", "statetool mv 'module.m[*]' 'module.n[$1]'"),
    ("Move the resources of one type into a module.", "statetool mv 'aws_subnet.*' 'module.net.aws_subnet.$1'"),
)


@takes(options=surgery_options)
def command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="An instance, a resource, a module, or a pattern: 'module.old[*]', 'module.old[*].aws_vpc.*'.",
        ),
    ],
    destination: Annotated[
        str,
        typer.Argument(
            metavar="DESTINATION",
            help="The new address. With a pattern, $1, $2... are what its wildcards matched, and $$ is $: "
            "'module.b[$1].aws_vpc.$2'.",
        ),
    ],
    rebind: Annotated[
        bool,
        typer.Option("--rebind", help="Rebind instances to the provider configuration of the resource that they join."),
    ] = False,
    as_blocks: AsBlocksOption = False,
    *,
    options: SurgeryOptions,
) -> int:
    """Move instances, resources and modules to other addresses.

    Dependencies on them are updated; nothing else changes. A resource or module without a key moves with all its
    instances, which keep their keys. A pattern of modules moves whole modules. If a resource or module joins an
    existing one, mv asks for confirmation.
    """
    refuse_state_names((source, destination))

    def operation(snapshot: Snapshot) -> Edit:
        return move(snapshot, source, destination, rebind=rebind)

    return carry_out(Plan("mv", operation, depth=module_depth(destination), as_blocks=as_blocks), options)
