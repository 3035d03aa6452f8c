"""Resolves the local names of providers in a module.

Sources: OpenTofu `internal/configs/module.go`, ImpliedProviderForUnqualifiedType and ProviderForLocalConfig;
`internal/configs/provider.go`, checkProviderNameNormalized.
"""

from __future__ import annotations

from statefmt.configuration.model import Declarations
from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.model.addrs import Provider, implied_provider, normalize_provider_part, parse_provider_source
from statefmt.model.errors import AddressError


def provider_named(declarations: Declarations, name: str) -> Provider | None:
    """Return the provider that `required_providers` gives for a local name, else the one that the name implies.

    None if the name or the source is invalid.
    """
    required = declarations.required_providers.get(name)
    try:
        return parse_provider_source(required.source) if required and required.source else implied_provider(name)
    except (AddressError, ValueError):
        return None


def provider_for(declarations: Declarations, name: str) -> Provider | None:
    """Return the provider of a local name in a `provider` block or reference; in `hashicorp/` if it is not required.

    That includes `terraform`, unlike in the names that resource types imply. Source: resolveProviderTypes.
    """
    if name in declarations.required_providers:
        return provider_named(declarations, name)
    try:
        return Provider.default(name)
    except ValueError:
        return None


def local_name_of(declarations: Declarations, provider: Provider) -> str:
    """Return the local name of a provider in a module: the one in `required_providers`, else the provider's type."""
    for name in declarations.required_providers:
        if provider_named(declarations, name) == provider:
            return name
    return provider.type


def local_name_problem(name: str, place: Range, *, any_form: bool = False) -> Problem | None:
    """Return why a word is not a valid local name of a provider; None if it is.

    Names must be normalized, unless `any_form` is set.
    """
    try:
        normal = normalize_provider_part(name)
    except ValueError as reason:
        detail = f"{name} is an invalid provider local name: {reason}"
    else:
        if any_form or normal == name:
            return None
        detail = f'Provider names must be normalized. Replace "{name}" with "{normal}" to fix this error.'
    return error(ProblemKind.BLOCK, "Invalid provider local name", detail, place)
