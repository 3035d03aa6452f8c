"""Which provider a local name of a module means.

Source: OpenTofu `internal/configs/module.go`, ImpliedProviderForUnqualifiedType and ProviderForLocalConfig.
"""

from __future__ import annotations

from statefmt.addrs import Provider, implied_provider, parse_provider_source
from statefmt.config.model import Declarations
from statefmt.errors import AddressError


def provider_named(declarations: Declarations, name: str) -> Provider | None:
    """The provider that `required_providers` gives for a local name, else the one that the name implies.

    None for a name or a source that cannot be a provider's.
    """
    required = declarations.required_providers.get(name)
    try:
        return parse_provider_source(required.source) if required and required.source else implied_provider(name)
    except (AddressError, ValueError):
        return None


def local_name_of(declarations: Declarations, provider: Provider) -> str:
    """What a module calls a provider: the name in its `required_providers`, else the type of the provider."""
    for name in declarations.required_providers:
        if provider_named(declarations, name) == provider:
            return name
    return provider.type
