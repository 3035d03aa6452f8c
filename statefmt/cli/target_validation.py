"""Names the command that makes an edit whose target provider does not exist nevertheless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.cli.command_line import command_line
from statefmt.operations import KnownProviders

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.providers import ProviderReferences


def known_providers(references: ProviderReferences | None) -> KnownProviders:
    """Return the providers that a command may bind to: those of the configuration or, without one, of the state."""
    return KnownProviders(f"run:\n  statetool {command_line()} --new-provider", references)
