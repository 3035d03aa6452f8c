"""Finds the instances of a provider configuration that a configuration uses."""

from __future__ import annotations

from statefmt.configuration.providers.references import ProviderReferences
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig, InstanceKey


def keys_in_configuration(references: ProviderReferences, config: ConfigProviderConfig) -> set[InstanceKey] | Unknown:
    """Return the keys of a provider configuration that resource instances, actions, lists and functions use."""
    found: set[InstanceKey] = set()
    for resource in references.blocks:
        binding = references.block_binding(resource)
        if isinstance(binding, Problem) or binding.config != config:
            continue
        addresses = references.instances.all_of(resource)
        if isinstance(addresses, Unknown):
            return addresses
        for address in addresses:
            provider = references.instance_binding(address)
            if isinstance(provider, Unknown):
                return provider
            if isinstance(provider, AbsProviderInstance):
                found.add(provider.key)
    for module, use in references.uses():
        bound = references.use_binding(module, use)
        if isinstance(bound, Problem) or bound[0].config != config:
            continue
        if bound[1] is not None or bound[0].key is not None:
            return Unknown(f"{use.user} chooses an instance", use.range)
        found.add(NO_KEY)
    return found
