"""Determines whether a state already uses the target of an edit: a provider instance or a provider source.

Each function describes the first target that does not exist, with the nearest names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from msgspec import structs

from statefmt.analysis.providers import short_form
from statefmt.analysis.selection import did_you_mean
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig, InstanceKey, key_order
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST, Provider
from statefmt.model.snapshot import Snapshot

Naming: TypeAlias = Callable[[AbsProviderInstance], str]
_MOST_KEYS: Final = 10


def short_name(provider: AbsProviderInstance) -> str:
    """Return an instance in the form for `rebind`: `aws.west["eu"]` in the root module, else the full address."""
    return short_form(provider.config, provider.key) if provider.config.module.is_root else str(provider)


def nearest_providers(provider: AbsProviderInstance, known: Iterable[AbsProviderInstance], name: Naming) -> str:
    """Return the end of a message that a provider instance is unknown, with the nearest ones of its source."""
    same = (other for other in known if other.config.provider == provider.config.provider)
    return did_you_mean(name(provider), {name(other) for other in same})


def listed_keys(keys: Iterable[InstanceKey]) -> str:
    """List the first keys, and the number of the others."""
    names = [str(key) for key in sorted(keys, key=key_order) if str(key)]
    more = f" and {len(names) - _MOST_KEYS} more" if len(names) > _MOST_KEYS else ""
    return ", ".join(names[:_MOST_KEYS]) + more


_PUBLIC: Final = {TERRAFORM_HOST: DEFAULT_HOST, DEFAULT_HOST: TERRAFORM_HOST}


def sources_in_state(snapshot: Snapshot) -> set[Provider]:
    """Return the sources of all providers that a state names."""
    return {config.provider for config in _keys(snapshot)}


def unknown_source(source: Provider, known: Collection[Provider]) -> str:
    """Return why a source is unknown, or "". The same name in the other public registry counts as known."""
    other_host = _PUBLIC.get(source.hostname)
    if source in known or (other_host and structs.replace(source, hostname=other_host) in known):
        return ""
    return did_you_mean(source.display, {other.display for other in known})


class UnknownProvider(NamedTuple):
    """A provider instance without bound resources in a state, with the message about it."""

    provider: AbsProviderInstance
    problem: str


def unknown_in_state(
    snapshot: Snapshot, wanted: Iterable[AbsProviderInstance], name: Naming = short_name
) -> UnknownProvider | None:
    """Return the first provider instance without bound resources in the state; None if there is none.

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
