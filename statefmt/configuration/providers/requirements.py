"""Checks the local names of providers in each module.

Source: OpenTofu `internal/configs/provider_validation.go`, validateProviderConfigs.
"""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.configuration.model import Configuration, Declarations
from statefmt.configuration.provider_names import provider_named
from statefmt.hcl.source.problem import Problem, ProblemKind, error, warning
from statefmt.model.addrs import Module, Provider, Resource, implied_provider, normalize_provider_part

_KIND = ProblemKind.BLOCK
_TWICE = "Duplicate required provider"


def requirement_problems(configuration: Configuration) -> Iterator[tuple[Module, Resource | None, Problem]]:
    """Yield all problems, each with the module and the resource block it concerns."""
    for path, module in configuration.modules.items():
        for problem in _of_requirements(module.declarations):
            yield path, None, problem
        for resource, problem in _of_resources(module.declarations):
            yield path, resource, problem


def _of_requirements(declared: Declarations) -> Iterator[Problem]:
    """Yield providers with two names. OpenTofu reports either of two entries; this reports the later one."""
    names: dict[Provider, str] = {}
    blocks = {name for name, _ in declared.providers}
    for required in declared.required_providers.values():
        provider = provider_named(declared, required.name)
        if provider is None:
            continue
        first = names.setdefault(provider, required.name)
        if first != required.name:
            detail = f'Provider {provider.display} has the local name "{required.name}", but also "{first}".'
            yield warning(_KIND, _TWICE, detail, required.range)
        elif provider == Provider.default(provider.type) and required.name != provider.type and provider.type in blocks:
            detail = (
                f'Provider {provider.display} has the local name "{required.name}", but a provider block calls it '
                f'"{provider.type}". The block must use the name from required_providers.'
            )
            yield warning(_KIND, _TWICE, detail, required.range)


def _of_resources(declared: Declarations) -> Iterator[tuple[Resource, Problem]]:
    """Yield resources without `provider` if required_providers lacks the name that their type implies."""
    required = {name: provider_named(declared, name) for name in declared.required_providers}
    for block in declared.resources:
        if block.provider is not None:
            continue
        name = block.address.implied_provider()
        try:
            normalize_provider_part(name)
        except ValueError as reason:
            detail = f'"{name}" is an invalid implied provider local name: {reason}'
            yield block.address, error(_KIND, "Invalid provider local name", detail, block.range)
            continue
        if name in required:
            continue
        provider = implied_provider(name)
        for other in (other for other, found in required.items() if found == provider):
            detail = (
                f'{block.address} needs provider "{provider}", which required_providers calls "{other}". Use the same '
                f"name in both places, or set `provider = {other}` in the resource."
            )
            yield block.address, warning(_KIND, _TWICE, detail, block.range)
