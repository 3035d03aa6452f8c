"""Which objects are bound to which instance of which provider configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    ModuleInstance,
    key_order,
)
from statefmt.model.instances import instances
from statefmt.model.snapshot import Snapshot


class BoundObject(NamedTuple):
    """An object of a resource instance: the current one (`deposed` is ""), or the one with that deposed key."""

    addr: AbsResourceInstance
    deposed: str


class ProviderInstanceUse(NamedTuple):
    """One instance of a provider configuration, and the objects bound to it, in the order of `list`."""

    provider: AbsProviderInstance
    objects: tuple[BoundObject, ...]

    @property
    def only_place(self) -> AbsResourceInstance | None:
        """The one resource instance that uses this key; None without a key, and where several do."""
        first = self.objects[0].addr
        alone = self.provider.key is not NO_KEY and all(obj.addr == first for obj in self.objects)
        return first if alone else None

    def by_module(self) -> dict[ModuleInstance, list[BoundObject]]:
        """The objects by the module instance that they are in."""
        found: dict[ModuleInstance, list[BoundObject]] = {}
        for obj in self.objects:
            found.setdefault(obj.addr.module, []).append(obj)
        return found


class ConfigurationUse(NamedTuple):
    """One provider configuration and those of its instances that are in use, by key.

    There is none where all resources of the configuration are without objects.
    """

    config: ConfigProviderConfig
    instances: tuple[ProviderInstanceUse, ...]


def provider_use(snapshot: Snapshot) -> list[ConfigurationUse]:
    """The provider configurations that a state names: by source, then by module, then by alias.

    A state cannot know of a configuration, or of an instance of one, that no resource uses.
    """
    found: dict[ConfigProviderConfig, dict[InstanceKey, list[BoundObject]]] = {
        resource.provider_config: {} for resource in snapshot.resources if resource.provider_config is not None
    }
    for instance in instances(snapshot):
        config = instance.resource.provider_config
        if config is None:
            continue
        keys = found[config]
        for obj in instance.objects:
            keys.setdefault(obj.provider_key, []).append(BoundObject(instance.addr, obj.deposed))
    return [
        ConfigurationUse(
            config,
            tuple(
                ProviderInstanceUse(config.instance(key), tuple(found[config][key]))
                for key in sorted(found[config], key=key_order)
            ),
        )
        for config in sorted(found, key=_order)
    ]


def short_form(config: ConfigProviderConfig, key: InstanceKey = NO_KEY) -> str:
    """A provider instance as its own module calls it, where the local name is the usual one: `aws.by_region["us"]`."""
    module = f"{config.module}." if config.module else ""
    alias = f".{config.alias}" if config.alias else ""
    return f"{module}{config.provider.type}{alias}{key}"


def by_resource(objects: Sequence[BoundObject]) -> dict[AbsResource, list[BoundObject]]:
    """Objects by the resource that they belong to."""
    found: dict[AbsResource, list[BoundObject]] = {}
    for obj in objects:
        found.setdefault(obj.addr.containing_resource(), []).append(obj)
    return found


def _order(config: ConfigProviderConfig) -> tuple[str, int, tuple[str, ...], str]:
    return str(config.provider), len(config.module.names), config.module.names, config.alias
