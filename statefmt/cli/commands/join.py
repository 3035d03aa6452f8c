"""`statetool join`: moves everything in some states to another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from typer import Argument, BadParameter, Option

from statefmt.cli.applying import ApplyTerms, anywhere, carry_out_operations
from statefmt.cli.exit_status import FINE
from statefmt.cli.joint_write import joint_write_options
from statefmt.cli.made_operations import place_in, save_operations, short_names, source_block
from statefmt.cli.options.ending import ending_options
from statefmt.cli.options.takes import declared, takes
from statefmt.operations_files import Ending, JoinBlock, StateBlock, operations_text


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Join two states into a third one.", "statetool join net app --into all"),
        (
            "Put what comes from a state into a module.",
            "statetool join eu.tfstate us.tfstate --into all.tfstate --create --prefix eu.tfstate=module.eu",
        ),
        ("Write the operations for a review.", "statetool join net --into app --out join.stateops.hcl"),
    ),
)
@takes(ending=ending_options, terms=joint_write_options)
def join_command(
    states: Annotated[list[str], Argument(metavar="STATE...", help="The states to empty: files, folders or URLs.")],
    target: Annotated[str, Option("--into", metavar="TARGET", help="The state that everything goes to.")],
    create: Annotated[bool, Option("--create", help="Create TARGET.")] = False,
    prefix: Annotated[
        list[str] | None, Option("--prefix", metavar="STATE=MODULE", help="Put the objects of STATE into this module.")
    ] = None,
    outputs_from: Annotated[
        str | None, Option("--outputs-from", metavar="STATE", help="Keep the outputs of this state where two differ.")
    ] = None,
    allow_plain: Annotated[
        bool, Option("--allow-plain", help="Allow that TARGET is encrypted and a STATE is not, or the reverse.")
    ] = False,
    out: Annotated[
        str | None,
        Option("--out", "-o", metavar="FILE", help="Write an operations file instead; - is standard output."),
    ] = None,
    *,
    ending: Ending | None,
    terms: ApplyTerms,
) -> int:
    """Move everything in some states to another one.

    TARGET keeps its lineage. The other states stay, without resources and outputs. An object that two states have under
    the same address stays once; different objects at one address are refused, and so are different outputs of one name.
    The outputs of a state with --prefix stay where they are: no state has outputs of modules. Instances of provider
    configurations with the same address become one configuration.
    """
    prefixes = _prefixes(prefix or (), states)
    known = (*states, target)
    if outputs_from is not None and outputs_from not in known:
        raise BadParameter(f"is none of the states: {', '.join(known)}", param_hint="--outputs-from")
    if out is not None and ending is not None:
        raise BadParameter("cannot be combined with --resume, --abort and --leave", param_hint="--out")
    place, names = place_in(out), short_names(known)
    blocks = {names[one]: source_block(one, place) for one in states}
    workspace = None if create else source_block(target, place).workspace
    blocks[names[target]] = StateBlock(path=place(target), workspace=workspace, create=create, allow_plain=allow_plain)
    chosen = None if outputs_from is None else f"state.{names[outputs_from]}"
    # The outputs of the chosen state are there before others differ.
    ordered = sorted(states, key=lambda one: one != outputs_from)
    joins = [JoinBlock(f"state.{names[one]}", f"state.{names[target]}", prefixes.get(one), chosen) for one in ordered]
    text = operations_text(blocks, joins)
    if out is not None:
        save_operations(out, text)
        return FINE
    given = {one: anywhere(one) for one in known}
    given |= {f"{one}={module}": f"{anywhere(one)}={module}" for one, module in prefixes.items()}
    options = {names[target]: "--create"}
    return carry_out_operations("join", text, terms._replace(ending=ending), given, create_options=options)


def _prefixes(given: Sequence[str], states: Sequence[str]) -> dict[str, str]:
    """Return the modules by the states whose objects they take."""
    found: dict[str, str] = {}
    for text in given:
        # The longest name first: a path may have an equals sign.
        state = next((one for one in sorted(states, key=len, reverse=True) if text.startswith(f"{one}=")), None)
        if state is None:
            raise BadParameter(f"{text!r} is not STATE=MODULE with one of the states", param_hint="--prefix")
        if state in found:
            raise BadParameter(f"names {state} twice", param_hint="--prefix")
        found[state] = text.removeprefix(f"{state}=")
    return found
