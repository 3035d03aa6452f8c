"""Shows what operations do to many states: a comparison for each, and what goes from one to another."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from statefmt.addrs import DEFAULT_HOST, TERRAFORM_HOST, AbsResourceInstance, ConfigProviderConfig, ConfigResource
from statefmt.cli.streams import message_terminal, result_terminal
from statefmt.operations_files import FileOutcome, KeptDependency, Passages
from statefmt.render.diff.items import Manner
from statefmt.render.diff.text import diff_text
from statefmt.render.findings import findings_text
from statefmt.render.terminal import Terminal, counted, note_text
from statefmt.text import printable

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.providers import ProviderReferences

_OUTPUTS: Final = (
    "The configuration that has such a resource needs an output for what the other one reads of it, in each of its "
    "modules up to the root module; the other one reads it with the data source terraform_remote_state, or as a "
    "variable."
)
_APART: Final = (
    "Dependencies within a state are dropped, since their ends move one after the other. To keep them, move both ends "
    "in one block:"
)
_NO_BLOCKS: Final = "the configuration of {} has no blocks for these provider configurations"
_NO_OBJECTS: Final = (
    "the state {} had no objects of these provider configurations, so its configuration may lack blocks for them"
)


def show_outcome(
    names: Mapping[str, str],
    outcome: FileOutcome,
    manner: Manner,
    *,
    to_messages: bool,
    checked: Mapping[str, ProviderReferences] = MappingProxyType({}),
) -> None:
    """Print the changes to standard output or as messages; `names` are the states by their short names.

    `checked` are the configurations that edits were checked against, by the names of their states.
    """
    terminal, stream = (message_terminal(), sys.stderr) if to_messages else (result_terminal(), sys.stdout)
    across = outcome.passages()
    for piece in (*_pieces(names, outcome, across, manner, terminal), *_across(outcome, across, terminal, checked)):
        print(piece, file=stream)
    # Keeps the order if both streams go to one file.
    stream.flush()


def _pieces(
    names: Mapping[str, str], outcome: FileOutcome, across: Mapping[str, Passages], manner: Manner, terminal: Terminal
) -> Iterator[str]:
    changed = {short: one for short in names if (one := outcome.outcomes.get(short)) and one.changes}
    for number, (short, one) in enumerate(changed.items()):
        separator = "\n" if number else ""
        # States without a short name are by their names.
        place = "" if short == names[short] else f": {names[short]}"
        named = printable(short + place) + " (new)" * (short in outcome.created)
        yield separator + terminal.paint(f"State {named}", "bold")
        yield from diff_text(one.changes, manner, terminal, across[short])
        yield from (f"\n{note_text(note, terminal)}" for note in dict.fromkeys(one.edit.notes))
        if one.findings:
            yield f"\nThis edit adds {counted(len(one.findings), 'finding')}:\n{findings_text(one.findings, terminal)}"


def _across(
    outcome: FileOutcome, across: Mapping[str, Passages], terminal: Terminal, checked: Mapping[str, ProviderReferences]
) -> Iterator[str]:
    edits = outcome.edits
    for short, configs in edits.new_providers.items():
        lacking = _lacking(configs, checked.get(short))
        if lacking:
            what = _NO_BLOCKS if short in checked else _NO_OBJECTS
            yield "\n" + terminal.wrap(f"Warning: {what.format(short)}: {', '.join(lacking)}", "")
    dropped = list(outcome.dropped(across))
    joined = [one for one in dropped if one.state == one.other]
    left = [one for one in dropped if one.state != one.other]
    if joined:
        yield "\n" + terminal.wrap(_APART, "")
        yield from (f"  {one.dependant} needs {one.needs} in {one.state}" for one in joined)
    if left:
        yield "\nDependencies that would lead from one state to another are dropped:"
        yield from _needs(left)
    if edits.kept:
        yield "\nDependencies that lead from one state to another are kept:"
        yield from _needs(edits.kept)
    if left or edits.kept:
        yield "\n" + terminal.wrap(_OUTPUTS, "")


def _lacking(configs: Iterable[ConfigProviderConfig], references: ProviderReferences | None) -> list[str]:
    """Return provider configurations that a state did not have; with `references`, those without a block there."""
    known = () if references is None else frozenset(map(_without_host, references.tree.declared))
    # The builtin provider needs no configuration.
    others = (config for config in configs if not config.provider.is_builtin)
    return [str(config) for config in others if _without_host(config) not in known]


def _without_host(config: ConfigProviderConfig) -> ConfigProviderConfig:
    """Return a provider configuration with one host for both public registries, whichever program the block is for."""
    if config.provider.hostname != TERRAFORM_HOST:
        return config
    return replace(config, provider=replace(config.provider, hostname=DEFAULT_HOST))


def _needs(found: Iterable[KeptDependency]) -> Iterator[str]:
    """Yield a line for each resource that another state needs."""
    dependants: dict[tuple[str, str, ConfigResource], list[AbsResourceInstance]] = {}
    for one in found:
        dependants.setdefault((one.state, one.other, one.needs), []).append(one.dependant)
    for (here, there, needs), instances in dependants.items():
        more = f" and {len(instances) - 1:,} more" if len(instances) > 1 else ""
        yield f"  {here} needs {needs} in {there}, for {instances[0]}{more}"
