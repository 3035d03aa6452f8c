"""`statetool mv`: moves instances, resources and modules to other addresses."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from typer import Argument, BadParameter, Option

from statefmt.cli.command import declared, examples, takes
from statefmt.cli.options.ending import ending_options
from statefmt.cli.options.selecting import refuse_state_names
from statefmt.cli.options.shared import STATES
from statefmt.cli.outcome import UsageError
from statefmt.cli.surgery import AllowMismatchOption, AsBlocksOption, SurgeryOptions, carry_out, surgery_options
from statefmt.operations import module_depth, move
from statefmt.operations_files import Ending


@examples(
    ("Rename a module.", "statetool mv module.net module.network"),
    ("Move all instances of a module; $1 is the key of each.", "statetool mv 'module.m[*]' 'module.n[$1]'"),
    ("Move everything in a module up to the root module.", "statetool mv module.app root"),
    ("Move a module to another state.", "statetool mv --from-state app --to-state net module.vpc"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(ending=ending_options, options=surgery_options)
def mv_command(
    source: Annotated[
        str,
        Argument(
            metavar="SOURCE",
            help="An instance, a resource, a module, or a pattern: 'module.old[*]', 'module.old[*].aws_vpc.*'.",
        ),
    ],
    destination: Annotated[
        str | None,
        Argument(
            metavar="DESTINATION",
            show_default=False,
            help="The new address, or root for the root module. With a pattern, $1, $2... are what its wildcards "
            "matched, and $$ is $: "
            "'module.b[$1].aws_vpc.$2'. With --to-state, the default is the same address.",
        ),
    ] = None,
    rebind: Annotated[
        bool,
        Option(
            "--rebind",
            help="Rebind instances to the provider configuration of the resource that they join, or as --config says.",
        ),
    ] = False,
    from_state: Annotated[
        str | None,
        Option("--from-state", metavar="PATH", help="Move from this state; same as --state.", rich_help_panel=STATES),
    ] = None,
    to_state: Annotated[
        str | None,
        Option("--to-state", metavar="PATH", help="Move to this state, all or nothing.", rich_help_panel=STATES),
    ] = None,
    create: Annotated[bool, Option("--create", help="Create the state of --to-state.", rich_help_panel=STATES)] = False,
    allow_plain: Annotated[
        bool, Option("--allow-plain", help="Allow that only one of both is encrypted.", rich_help_panel=STATES)
    ] = False,
    as_blocks: AsBlocksOption = False,
    allow_mismatch: AllowMismatchOption = False,
    *,
    ending: Ending | None,
    options: SurgeryOptions,
) -> int:
    """Move instances, resources and modules to other addresses.

    Dependencies on them are updated; nothing else changes. A resource or module without a key moves with all its
    instances, which keep their keys. A pattern of modules moves whole modules. If a resource or module joins an
    existing one, mv asks for confirmation. To the root module, resources and submodules of a module move as they are.
    """
    if from_state is not None and options.state is not None:
        raise BadParameter("cannot be combined with --state", param_hint="--from-state")
    refuse_state_names((source, *([] if destination is None else [destination])))
    if to_state is not None:
        # Imported late: most moves stay in one state.
        from statefmt.cli.many_states import move_across

        return move_across(
            source,
            destination,
            options,
            ending,
            from_state=options.state or from_state,
            to_state=to_state,
            rebind=rebind,
            create=create,
            allow_plain=allow_plain,
            as_blocks=as_blocks,
            allow_mismatch=allow_mismatch,
        )
    for option, is_given in (("--create", create), ("--allow-plain", allow_plain)):
        if is_given:
            raise BadParameter("requires --to-state", param_hint=option)
    if ending is not None:
        raise UsageError("--resume, --abort and --leave require --to-state: other moves are never half done.")
    if destination is None:
        raise UsageError("Missing argument 'DESTINATION'.")
    options = options._replace(state=options.state or from_state)
    references = options.configuration.loaded()
    operation = partial(
        move, source=source, destination=destination, rebind=rebind, any_type=as_blocks, references=references
    )
    return carry_out(
        "mv",
        operation,
        options,
        depth=module_depth(destination),
        references=references,
        as_blocks=as_blocks,
        allow_mismatch=allow_mismatch,
    )
