"""Finds the instances of a provider configuration that a configuration uses."""

from __future__ import annotations

from statefmt.configuration.providers.references import ProviderReferences
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import AbsProviderInstance, ConfigProviderConfig, InstanceKey


def keys_in_configuration(references: ProviderReferences, config: ConfigProviderConfig) -> set[InstanceKey] | Unknown:
    """Return the keys of a provider configuration that resource instances of the configuration are bound to."""
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
    return found
