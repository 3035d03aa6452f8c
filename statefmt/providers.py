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

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.declared_targets import declared_provider as declared_provider
    from statefmt.analysis.providers import (
        BoundObject as BoundObject,
        ConfigurationUse as ConfigurationUse,
        ProviderInstanceUse as ProviderInstanceUse,
        provider_use as provider_use,
        short_form as short_form,
    )
    from statefmt.analysis.providers.fates import (
        ConfigurationDeclaration as ConfigurationDeclaration,
        Fate as Fate,
        FateKind as FateKind,
        ForEachKeys as ForEachKeys,
        InstanceDeclaration as InstanceDeclaration,
        for_each_keys as for_each_keys,
        provider_declarations as provider_declarations,
        provider_fates as provider_fates,
    )
    from statefmt.analysis.providers.removal import ProviderRemoval as ProviderRemoval, removal as removal
    from statefmt.configuration.instances import Instances as Instances
    from statefmt.configuration.provider_instances import ProviderReferences as ProviderReferences
