"""Decides whether the resources of a state already use a provider instance or a provider source."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.analysis.selection.nearest import did_you_mean
from statefmt.analysis.targets.names import Naming, listed_keys, nearest_providers, short_name
from statefmt.model.addrs import (
    DEFAULT_HOST,
    NO_KEY,
    TERRAFORM_HOST,
    AbsProviderInstance,
    ConfigProviderConfig,
    InstanceKey,
    Provider,
)
from statefmt.model.snapshot import Snapshot

_PUBLIC: Final = {TERRAFORM_HOST: DEFAULT_HOST, DEFAULT_HOST: TERRAFORM_HOST}


def sources_in_state(snapshot: Snapshot) -> set[Provider]:
    """Return the sources of all providers that a state names."""
    return {config.provider for config in _keys(snapshot)}


def unknown_source(source: Provider, known: Collection[Provider]) -> str:
    """Return why a source is unknown, or "". The same name in the other public registry is known."""
    other_host = _PUBLIC.get(source.hostname)
    if source in known or (other_host and structs.replace(source, hostname=other_host) in known):
        return ""
    return did_you_mean(source.display, {other.display for other in known})


class UnknownProvider(NamedTuple):
    """A provider instance that no resource of a state is bound to, and what to say about it."""

    provider: AbsProviderInstance
    problem: str


def unknown_in_state(
    snapshot: Snapshot, wanted: Iterable[AbsProviderInstance], name: Naming = short_name
) -> UnknownProvider | None:
    """Return the first provider instance that no resource of the state is bound to; None if there is none.

    `name` formats the nearest ones. The default configuration of a provider that the state names always exists.
    """
    known = _keys(snapshot)
    sources = {config.provider for config in known}
    for provider in wanted:
        config = provider.config
        is_default = config.module.is_root and not config.alias and config.provider in sources
        if not is_default and provider.key not in known.get(config, ()):
            return UnknownProvider(provider, _description(provider, known, name))
    return None


def _keys(snapshot: Snapshot) -> dict[ConfigProviderConfig, dict[InstanceKey, None]]:
    """Return the keys in use of each configuration; NO_KEY for a resource without objects."""
    found: dict[ConfigProviderConfig, dict[InstanceKey, None]] = {}
    for resource in snapshot.resources:
        if resource.provider_config is not None:
            keys = found.setdefault(resource.provider_config, {})
            keys.update((obj.provider_key, None) for obj in resource.objects)
            if not resource.objects:
                keys[NO_KEY] = None
    return found


def _description(
    provider: AbsProviderInstance, known: Mapping[ConfigProviderConfig, Mapping[InstanceKey, None]], name: Naming
) -> str:
    config, there = provider.config, known.get(provider.config)
    instances = [other.instance(key) for other, keys in known.items() for key in keys]
    if there is None:
        near = nearest_providers(provider, instances, name)
        return f"no resource in the state is bound to {name(config.instance())}{near}"
    if provider.key is NO_KEY:
        return f"the state uses {name(config.instance())} only with a key: {listed_keys(there)}."
    if set(there) == {NO_KEY}:
        return f"the state uses {name(config.instance())} only without a key."
    own = [config.instance(key) for key in there]
    return f"no resource in the state is bound to {name(provider)}{nearest_providers(provider, own, name)}"
