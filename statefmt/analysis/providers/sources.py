"""Relates the provider sources in a state to those that a configuration requires.

Source: OpenTofu `internal/tofumigrate/tofumigrate.go`.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import structs

from statefmt.configuration.model import Configuration
from statefmt.configuration.provider_names import provider_named
from statefmt.model.addrs import DEFAULT_HOST, TERRAFORM_HOST, AbsProviderInstance, Provider


def required_sources(configuration: Configuration) -> frozenset[Provider]:
    """Return the sources in the `required_providers` of all modules."""
    found = (
        provider_named(module.declarations, name)
        for module in configuration.modules.values()
        for name in module.declarations.required_providers
    )
    return frozenset(provider for provider in found if provider is not None)


def translated(provider: AbsProviderInstance, required: Collection[Provider]) -> AbsProviderInstance:
    """Move a provider of Terraform's registry to OpenTofu's, as OpenTofu does unless the former is required."""
    source = provider.config.provider
    if source.hostname != TERRAFORM_HOST or source in required:
        return provider
    moved = structs.replace(source, hostname=DEFAULT_HOST)
    return structs.replace(provider, config=structs.replace(provider.config, provider=moved))
