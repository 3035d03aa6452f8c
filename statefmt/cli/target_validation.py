"""Refuses edits whose target does not exist, with the way to make them nevertheless."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from statefmt import Edit, SurgeryError
from statefmt.cli.command_line import command_line
from statefmt.operations import KnownProviders

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.providers import ProviderReferences


def known_providers(references: ProviderReferences | None) -> KnownProviders:
    """Return the providers that a command may bind to: those of the configuration or, without one, of the state."""
    return KnownProviders(f"run:\n  statetool {command_line()} --new-provider", references)


def refuse_undeclared(edit: Edit, references: ProviderReferences, depth: int) -> Sequence[str]:
    """Raise SurgeryError if the configuration does not declare the target of a move; return notes.

    `depth` is the number of steps of the target if that is a module, else 0.
    """
    from statefmt.operations import undeclared_addresses

    judgement = undeclared_addresses(references, edit.moved.values(), depth=depth)
    if judgement.problem:
        raise SurgeryError(f"{judgement.problem}\nIf this is intended, leave out --config.")
    return judgement.notes
