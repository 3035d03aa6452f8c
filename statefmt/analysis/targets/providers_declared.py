"""Decides whether a configuration declares a provider instance or requires a provider source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from statefmt.analysis.providers.doubt import doubt
from statefmt.analysis.providers.sources import required_sources, translated
from statefmt.analysis.targets.names import Naming, listed_keys, nearest_providers, short_name
from statefmt.configuration.provider_names import provider_named
from statefmt.configuration.providers.references import ProviderReferences
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResourceInstance,
    ConfigProviderConfig,
    Module,
    Provider,
    parse_abs_provider_instance,
    parse_local_provider_instance,
)
from statefmt.model.errors import AddressError


class Judgement(NamedTuple):
    """What is wrong with the first target that does not exist, "" if all do, and notes on those that are not known.

    `about` is that target.
    """

    problem: str
    notes: tuple[str, ...] = ()
    about: AbsProviderInstance | AbsResourceInstance | None = None


def sources_in_configuration(references: ProviderReferences) -> set[Provider]:
    """Return all provider sources that a configuration requires, by required_providers, a block or a resource type."""
    found = {*required_sources(references.configuration), *(config.provider for config in references.tree.declared)}
    for resource, block in references.blocks.items():
        if block.provider is None:
            declarations = references.configuration.modules[resource.module].declarations
            implied = provider_named(declarations, resource.resource.implied_provider())
            found |= set() if implied is None else {implied}
    return found


def undeclared_providers(
    references: ProviderReferences, wanted: Iterable[AbsProviderInstance], name: Naming = short_name
) -> Judgement:
    """Judge whether the configuration declares all these provider instances; `name` formats the nearest ones."""
    required = required_sources(references.configuration)
    notes = []
    for provider in wanted:
        bound = translated(provider, required)
        resolved = references.tree.exactly(bound.config)
        if resolved is None:
            unread = doubt(references.configuration, bound.config.module)
            if unread is None:
                return Judgement(_no_configuration(references, bound, name), about=provider)
            notes.append(_not_checked(bound, unread))
            continue
        there = references.declares(resolved.config.instance(bound.key))
        # With an unknown for_each, it is still certain that every instance has a key.
        if there is False or (isinstance(there, Unknown) and bound.key is NO_KEY):
            return Judgement(_no_instance(references, bound, resolved.config, name), about=provider)
        if isinstance(there, Unknown):
            notes.append(_not_checked(bound, there))
    return Judgement("", tuple(notes))


def declared_provider(references: ProviderReferences, text: str) -> AbsProviderInstance | None:
    """Return the instance that an address, or a short form in the root module, names; None if it is not declared."""
    try:
        provider = parse_abs_provider_instance(text)
    except AddressError:
        try:
            local = parse_local_provider_instance(text)
        except AddressError:
            return None
        resolved = references.tree.resolve(Module(), local.config)
        if resolved is None:
            return None
        provider = resolved.config.instance(local.key)
    provider = translated(provider, required_sources(references.configuration))
    return provider if references.declares(provider) is True else None


def _not_checked(provider: AbsProviderInstance, unknown: Unknown) -> str:
    return f"statetool cannot tell whether the configuration declares {provider}: {unknown.reason}"


def _no_configuration(references: ProviderReferences, provider: AbsProviderInstance, name: Naming) -> str:
    tree = references.tree
    known: list[AbsProviderInstance] = []
    for config in (*tree.declared, *tree.passed):
        keys = references.declared_keys(config) if config in tree.declared else (NO_KEY,)
        known += [config.instance()] if isinstance(keys, Unknown) else map(config.instance, keys)
    near = nearest_providers(provider, known, name)
    missing = name(provider.config.instance())
    return f"the configuration in {references.configuration.directory} does not declare {missing}{near}"


def _no_instance(
    references: ProviderReferences, provider: AbsProviderInstance, declared: ConfigProviderConfig, name: Naming
) -> str:
    block = references.tree.declared.get(declared)
    keys = references.declared_keys(declared)
    known = () if isinstance(keys, Unknown) else keys
    of = name(declared.instance())
    if declared != provider.config:
        of += f", which is passed as {provider.config},"
    if block is None or block.for_each is None:
        return f"{of} has no for_each in the configuration, so it has no instance {provider.key}."
    if provider.key is NO_KEY:
        listed = listed_keys(known)
        return f"{of} has for_each in the configuration, so a key is required{f': {listed}' if listed else ''}."
    own = [provider.config.instance(key) for key in known]
    return f"the for_each of {of} has no key {provider.key}{nearest_providers(provider, own, name)}"
