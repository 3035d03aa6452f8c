"""`statetool rekey`: changes the keys of instances of resources and modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Option

from statefmt import SurgeryError
from statefmt.addrs import InstanceKey
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import state_name
from statefmt.cli.options.configuration import report_problems
from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.run import run_context
from statefmt.cli.surgery import AsBlocksOption, SurgeryOptions, carry_out, surgery_options
from statefmt.locations import RemoteName, state_words
from statefmt.operations import module_depth, parse_key_lines, parse_key_map, rekey
from statefmt.selection import Criteria

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.providers import Instances, ProviderReferences


@examples(
    ("Go from count to for_each.", "statetool rekey aws_vpc.main --map 0=eu,1=us"),
    ("Do this for a module and everything in it.", "statetool rekey module.app --map 0=eu,1=us"),
    ("Take the only new key from the configuration.", "statetool rekey module.app --config ."),
    ("Use an attribute of each instance as its key.", "statetool rekey aws_vpc.main --by tags.Name"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(chosen=criteria, options=surgery_options)
def rekey_command(
    pairs: Annotated[
        list[str] | None,
        Option("--map", metavar="OLD=NEW,...", help="Change keys: 0=a,1=b; an empty key means no key."),
    ] = None,
    file: Annotated[
        Path | None, Option("--map-file", metavar="FILE", help="Read the pairs from FILE, one per line.")
    ] = None,
    by: Annotated[
        str | None,
        Option("--by", metavar="PATH", help="Use the attribute at this path as the key of each instance: tags.Name."),
    ] = None,
    count: Annotated[bool, Option("--count", help="With --by: use integer keys, for count.")] = False,
    as_blocks: AsBlocksOption = False,
    *,
    chosen: Criteria,
    options: SurgeryOptions,
) -> int:
    """Change the keys of resources or modules: from count to for_each or back, or from one for_each to another.

    The address of a module changes its keys, and everything in it moves along; 'module.app.**' selects the resources in
    it. Dependencies are updated; nothing else changes.

    With --config and without a map, the new key is read from the configuration if only one instance can have changed
    its key; otherwise rekey prints a map to complete.
    """
    given = (pairs is not None) + (file is not None) + (by is not None)
    if given > 1 or (given == 0 and options.configuration.directory is None):
        raise BadParameter("use exactly one of these, or --config alone", param_hint="--map, --map-file, --by")
    if count and by is None:
        raise BadParameter("requires --by", param_hint="--count")
    keys = _keys(pairs, file)
    # Only the module itself must be declared.
    depth = max(map(module_depth, chosen.selectors), default=0)
    references = options.configuration.loaded()
    declared = None if given or references is None else _instances(references)

    line = _named(options.state)
    operation = partial(
        rekey, chosen=chosen, keys=keys, by=by, count=count, declared=declared, arguments=line, note=tell
    )
    return carry_out("rekey", operation, options, depth=depth, references=references, as_blocks=as_blocks)


def _named(state: str | None) -> Sequence[str]:
    """Return the words that name the state in a suggested command."""
    name = state_name(state)
    if isinstance(name, RemoteName):
        return state_words(name)
    return [] if state is None else ["--state", state]


def _keys(pairs: list[str] | None, file: Path | None) -> Mapping[InstanceKey, InstanceKey] | None:
    if file is not None:
        return parse_key_lines(run_context().read(str(file)).decode("utf-8", "replace"))
    return None if pairs is None else parse_key_map(pairs)


def _instances(references: ProviderReferences) -> Instances:
    """Return the instances that the configuration declares. Raises SurgeryError if errors hide a part of it."""
    from statefmt.rules import CONFIGURATION_NOT_KNOWN, check_configuration

    if report_problems(check_configuration(references, select=CONFIGURATION_NOT_KNOWN)):
        raise SurgeryError("errors hide a part of the configuration; correct them, or use --map without --config")
    return references.instances
