"""Refuses edits whose target does not exist, with the way to make them nevertheless."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from statefmt.analysis.targets.in_state import sources_in_state, unknown_in_state, unknown_source
from statefmt.analysis.targets.names import short_name
from statefmt.cli.command_line import command_line
from statefmt.edit.changes.edit import Edit
from statefmt.model.addrs import AbsProviderInstance, Provider
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.providers.references import ProviderReferences


def refuse_unknown_providers(
    snapshot: Snapshot,
    wanted: Iterable[AbsProviderInstance],
    references: ProviderReferences | None,
    *,
    short: bool = True,
) -> Sequence[str]:
    """Raise SurgeryError if one of these provider instances does not exist; return notes.

    The configuration decides, without one the state. `short` allows short forms such as `aws.west` in the message.
    """
    name = short_name if short else str
    if references is None:
        _refuse(unknown_in_state(snapshot, wanted, name))
        return ()
    from statefmt.analysis.targets.providers_declared import undeclared_providers

    judgement = undeclared_providers(references, wanted, name)
    _refuse(judgement.problem)
    return judgement.notes


def refuse_unknown_source(snapshot: Snapshot, source: Provider, references: ProviderReferences | None) -> None:
    """Raise SurgeryError if the configuration does not use a provider source or, without one, the state does not."""
    if references is None:
        where, known = "no resource in the state uses", sources_in_state(snapshot)
    else:
        from statefmt.analysis.targets.providers_declared import sources_in_configuration

        directory = references.configuration.directory
        where, known = f"the configuration in {directory} does not use", sources_in_configuration(references)
    problem = unknown_source(source, known)
    _refuse(problem and f"{where} the provider {source.display}{problem}")


def refuse_undeclared(edit: Edit, references: ProviderReferences, depth: int) -> Sequence[str]:
    """Raise SurgeryError if the configuration does not declare the target of a move; return notes.

    `depth` is the number of steps of the target if that is a module, else 0.
    """
    from statefmt.analysis.targets.addresses_declared import undeclared_addresses

    judgement = undeclared_addresses(references, edit.moved.values(), depth=depth)
    if judgement.problem:
        raise SurgeryError(f"{judgement.problem}\nIf this is intended, leave out --config.")
    return judgement.notes


def _refuse(problem: str) -> None:
    if problem:
        raise SurgeryError(f"{problem}\nIf this is intended, run:\n  statetool {command_line()} --new-provider")
