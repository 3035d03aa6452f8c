"""Compares the provider configurations that a configuration declares with those that a state uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from statefmt.analysis.providers.fates import UNREAD, Fate, doubt, keys_in_configuration
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.hcl.source import Range
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig, InstanceKey, StringKey, key_order


class InstanceDeclaration(NamedTuple):
    """One provider instance: whether it is declared, and how many objects of the state are bound to it.

    `wanted` says whether a resource of the configuration names it. `declared` and `wanted` are None if unknown.
    """

    provider: AbsProviderInstance
    declared: bool | None
    wanted: bool | None
    resource_instances: int
    deposed_objects: int

    @property
    def missing(self) -> bool:
        """Whether objects use it, but it is not declared."""
        return self.declared is False

    @property
    def unused(self) -> bool:
        """Whether it is declared, but nothing in the state or the configuration is bound to it."""
        return bool(self.declared) and self.wanted is False and not self.resource_instances + self.deposed_objects


class ConfigurationDeclaration(NamedTuple):
    """One provider configuration: the range of its block (None without one), and its instances by key.

    `unknown` is the reason if its keys are unknown.
    """

    config: ConfigProviderConfig
    range: Range | None
    instances: tuple[InstanceDeclaration, ...]
    unknown: Unknown | None


def provider_declarations(references: ProviderReferences, fates: Sequence[Fate]) -> list[ConfigurationDeclaration]:
    """Return all configurations that are declared or used, sorted by source, module and alias."""
    bound: dict[AbsProviderInstance, list[int]] = {}
    for fate in fates:
        numbers = bound.setdefault(_there(references, fate.bound), [0, 0])
        numbers[not fate.obj.is_current] += 1
    configs = {*references.tree.declared, *(provider.config for provider in bound)}
    return [_declaration(references, config, bound) for config in sorted(configs, key=_order)]


def _there(references: ProviderReferences, provider: AbsProviderInstance) -> AbsProviderInstance:
    """Return the declared address of a provider instance; a state may use the one in a module that it is passed to."""
    resolved = references.tree.exactly(provider.config)
    if resolved is None or (not resolved.config.alias and provider.key is not NO_KEY):
        return provider
    return resolved.config.instance(provider.key)


def _declaration(
    references: ProviderReferences, config: ConfigProviderConfig, bound: dict[AbsProviderInstance, list[int]]
) -> ConfigurationDeclaration:
    block = references.tree.declared.get(config)
    keys = _declared_keys(references, config)
    wanted = keys_in_configuration(references, config)
    known = () if isinstance(keys, Unknown) else keys
    used = [provider.key for provider in bound if provider.config == config]
    instances = []
    for key in sorted({*known, *used}, key=key_order):
        provider = config.instance(key)
        current, deposed = bound.get(provider, (0, 0))
        instances.append(
            InstanceDeclaration(
                provider=provider,
                declared=None if isinstance(keys, Unknown) else key in keys,
                wanted=None if isinstance(wanted, Unknown) else key in wanted,
                resource_instances=current,
                deposed_objects=deposed,
            )
        )
    return ConfigurationDeclaration(
        config, block.range if block else None, tuple(instances), keys if isinstance(keys, Unknown) else None
    )


def _declared_keys(references: ProviderReferences, config: ConfigProviderConfig) -> tuple[InstanceKey, ...] | Unknown:
    """Return the keys that the block declares; none without a block, unless an unread file may contain it."""
    if references.tree.exists(config):
        return references.declared_keys(config)
    return doubt(references.configuration, config.module) or ()


def _order(config: ConfigProviderConfig) -> tuple[str, int, tuple[str, ...], str]:
    return str(config.provider), len(config.module.names), config.module.names, config.alias


class ForEachKeys(NamedTuple):
    """The known keys; `complete` if every file was read and every `for_each` and `count` is known."""

    known: frozenset[str]
    complete: bool


def for_each_keys(references: ProviderReferences) -> ForEachKeys:
    """Return the keys in provider blocks, module calls and resources."""
    known: set[str] = set()
    complete = not references.configuration.missing and not any(
        problem.kind in UNREAD for problem in references.configuration.problems
    )
    for keys in _collections(references):
        if isinstance(keys, Unknown):
            complete = False
        else:
            known.update(key.value for key in keys if isinstance(key, StringKey))
    return ForEachKeys(frozenset(known), complete)


def _collections(references: ProviderReferences) -> Iterator[Iterable[InstanceKey] | Unknown]:
    for config in references.tree.declared:
        yield references.declared_keys(config)
    for path in references.configuration.modules:
        if not path.is_root:
            modules = references.instances.of_module(path)
            yield modules if isinstance(modules, Unknown) else [module.steps[-1].key for module in modules]
    for resource in references.blocks:
        addresses = references.instances.all_of(resource)
        yield addresses if isinstance(addresses, Unknown) else [address.key for address in addresses]
