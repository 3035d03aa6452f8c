"""Groups the objects of a state by provider configuration and provider instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
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
from statefmt.model.snapshot import Snapshot, instances


class BoundObject(NamedTuple):
    """An object of a resource instance: the current object if `deposed` is "", else the one with this deposed key."""

    addr: AbsResourceInstance
    deposed: str


class ProviderInstanceUse(NamedTuple):
    """One instance of a provider configuration, and the objects bound to it, in the order of `list`."""

    provider: AbsProviderInstance
    objects: tuple[BoundObject, ...]

    @property
    def only_place(self) -> AbsResourceInstance | None:
        """The only resource instance that uses this key; None without a key, or if several do."""
        first = self.objects[0].addr
        alone = self.provider.key is not NO_KEY and all(obj.addr == first for obj in self.objects)
        return first if alone else None

    def by_module(self) -> dict[ModuleInstance, list[BoundObject]]:
        """Group the objects by module instance."""
        found: dict[ModuleInstance, list[BoundObject]] = {}
        for obj in self.objects:
            found.setdefault(obj.addr.module, []).append(obj)
        return found


class ConfigurationUse(NamedTuple):
    """One provider configuration and its instances in use, by key.

    `instances` is empty if no resource of the configuration has objects.
    """

    config: ConfigProviderConfig
    instances: tuple[ProviderInstanceUse, ...]


def provider_use(snapshot: Snapshot) -> list[ConfigurationUse]:
    """Return the provider configurations that a state names, sorted by source, module and alias.

    A state does not record configurations or instances that no resource uses.
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
        for config in sorted(found, key=config_order)
    ]


def short_form(config: ConfigProviderConfig, key: InstanceKey = NO_KEY, name: str = "") -> str:
    """Return a provider configuration or instance with its usual local name: `aws.by_region["us"]`.

    `name` replaces the local name.
    """
    module = f"{config.module}." if config.module else ""
    alias = f".{config.alias}" if config.alias else ""
    return f"{module}{name or config.provider.type}{alias}{key}"


def short_names(providers: Collection[AbsProviderInstance]) -> dict[AbsProviderInstance, str]:
    """Return the short forms of provider instances that are shown together.

    For sources of the same type, the namespace is added (`hashicorp/aws.by_region["us"]`); if the namespaces are
    equal, too, the address stays whole.
    """
    sources = {provider.config.provider for provider in providers}
    of_type = Counter(source.type for source in sources)
    in_namespace = Counter((source.namespace, source.type) for source in sources)
    names = {}
    for provider in providers:
        source = provider.config.provider
        if of_type[source.type] == 1:
            names[provider] = short_form(provider.config, provider.key)
        elif in_namespace[source.namespace, source.type] == 1:
            names[provider] = short_form(provider.config, provider.key, f"{source.namespace}/{source.type}")
        else:
            names[provider] = str(provider)
    return names


def by_resource(objects: Sequence[BoundObject]) -> dict[AbsResource, list[BoundObject]]:
    """Group objects by resource."""
    found: dict[AbsResource, list[BoundObject]] = {}
    for obj in objects:
        found.setdefault(obj.addr.containing_resource(), []).append(obj)
    return found


def config_order(config: ConfigProviderConfig) -> tuple[str, int, tuple[str, ...], str]:
    """Return the sort key of provider configurations: by source, module and alias."""
    return str(config.provider), len(config.module.names), config.module.names, config.alias
