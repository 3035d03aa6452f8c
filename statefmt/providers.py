"""The provider configurations that a snapshot uses, alone and compared with a configuration.

    >>> from statefmt import open, providers
    >>> snapshot = open("samples/v4-regions.tfstate").snapshot
    >>> uses = providers.provider_use(snapshot)
    >>> [str(one.provider.key) for use in uses for one in use.instances if use.config.alias == "by_region"]
    ['["eu-north-1"]', '["eu-west-1"]', '["us-west-2"]']
    >>> len(providers.removal(uses, 'aws.by_region["eu-west-1"]').to_destroy) > 0
    True

A configuration is loaded with `statefmt.configuration.load()`; `ProviderReferences` then says which provider instance
each of its resources uses, and `provider_declarations` and `provider_fates` compare both.
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.analysis.declared_targets import declared_provider
    from statefmt.analysis.providers import BoundObject, ConfigurationUse, ProviderInstanceUse, provider_use, short_form
    from statefmt.analysis.providers.declarations import (
        ConfigurationDeclaration,
        ForEachKeys,
        InstanceDeclaration,
        for_each_keys,
        provider_declarations,
    )
    from statefmt.analysis.providers.fates import Fate, FateKind, provider_fates
    from statefmt.analysis.providers.removal import ProviderRemoval, removal
    from statefmt.configuration.providers.references import ProviderReferences
    from statefmt.configuration.scopes.instances import Instances

__all__ = [
    "BoundObject",
    "ConfigurationDeclaration",
    "ConfigurationUse",
    "Fate",
    "FateKind",
    "ForEachKeys",
    "InstanceDeclaration",
    "Instances",
    "ProviderInstanceUse",
    "ProviderReferences",
    "ProviderRemoval",
    "declared_provider",
    "for_each_keys",
    "provider_declarations",
    "provider_fates",
    "provider_use",
    "removal",
    "short_form",
]

# The use in a state needs no configuration, whose packages take time to load.
__getattr__ = lazy_names(
    __name__,
    {
        "BoundObject": "statefmt.analysis.providers",
        "ConfigurationDeclaration": "statefmt.analysis.providers.declarations",
        "ConfigurationUse": "statefmt.analysis.providers",
        "Fate": "statefmt.analysis.providers.fates",
        "FateKind": "statefmt.analysis.providers.fates",
        "ForEachKeys": "statefmt.analysis.providers.declarations",
        "InstanceDeclaration": "statefmt.analysis.providers.declarations",
        "Instances": "statefmt.configuration.scopes.instances",
        "ProviderInstanceUse": "statefmt.analysis.providers",
        "ProviderReferences": "statefmt.configuration.providers.references",
        "ProviderRemoval": "statefmt.analysis.providers.removal",
        "declared_provider": "statefmt.analysis.declared_targets",
        "for_each_keys": "statefmt.analysis.providers.declarations",
        "provider_declarations": "statefmt.analysis.providers.declarations",
        "provider_fates": "statefmt.analysis.providers.fates",
        "provider_use": "statefmt.analysis.providers",
        "removal": "statefmt.analysis.providers.removal",
        "short_form": "statefmt.analysis.providers",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
