"""Merges encryption configurations, as OpenTofu merges TF_ENCRYPTION into the block of the module.

Source: OpenTofu `internal/encryption/config/config_merge.go`.
"""

from __future__ import annotations

from dataclasses import replace

from statefmt.encryption.configuration.arguments import Arguments
from statefmt.encryption.configuration.model import ALIAS, EncryptionConfiguration, KeyProviderBlock, Target
from statefmt.model.errors import ConfigurationError


def merged(base: EncryptionConfiguration, over: EncryptionConfiguration) -> EncryptionConfiguration:
    """Merge the blocks of `over` into those of `base`, argument by argument.

    Raises ConfigurationError if `over` changes the alias of a provider's metadata, which OpenTofu ignores, or if one of
    its targets has no method, since OpenTofu does not take the one of `base` then.
    """
    providers = dict(base.key_providers)
    for address, provider in over.key_providers.items():
        providers[address] = _provider(providers[address], provider) if address in providers else provider
    methods = dict(base.methods)
    for address, method in over.methods.items():
        old = methods.get(address)
        methods[address] = replace(old, arguments=_arguments(old.arguments, method.arguments)) if old else method
    targets = dict(base.targets)
    for name, target in over.targets.items():
        targets[name] = _target(name, targets[name], target) if name in targets else target
    return EncryptionConfiguration(providers, methods, targets)


def _provider(base: KeyProviderBlock, over: KeyProviderBlock) -> KeyProviderBlock:
    if over.alias not in ("", base.alias):
        raise ConfigurationError(
            f"{over.address}, {ALIAS}: OpenTofu ignores it in a block that overrides another; set it in the overridden "
            "block"
        )
    return replace(base, arguments=_arguments(base.arguments, over.arguments))


def _arguments(base: Arguments, over: Arguments) -> Arguments:
    blocks = tuple(dict.fromkeys((*over.blocks, *base.blocks)))
    return Arguments(
        base.block,
        {**base.values, **over.values},
        {**base.places, **over.places},
        {**base.origins, **over.origins},
        blocks,
        base.place,
    )


def _target(name: str, base: Target, over: Target) -> Target:
    if over.method is None:
        raise ConfigurationError(
            f"{name}: the overriding block has no method, and OpenTofu does not take the one of the overridden block; "
            "repeat the method"
        )
    return Target(over.method, over.fallback or base.fallback, base.enforced or over.enforced)
