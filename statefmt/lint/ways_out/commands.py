"""Builds the commands that bind an object without a provider to another provider instance, or forget it.

Source: RFC "Static Evaluation of Provider Iteration": a resource has one provider configuration, and its instances
differ only in the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.analysis.providers.fates import Fate
from statefmt.hcl.value import Unknown
from statefmt.lint.configurations.place import where
from statefmt.lint.subject import Subject
from statefmt.lint.ways_out.fates import THERE, fates_of_resource, provider_of_instance
from statefmt.lint.ways_out.snippets import MOST_KEYS
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, AbsResource, ConfigProviderConfig, InstanceKey, StringKey
from statefmt.model.findings import Fix

# Each is evaluated for each object.
_MOST_COMPARED: Final = 50
_PLAIN_KEY = re.compile(r"[A-Za-z][\w.-]*")


def ways_out(subject: Subject, fate: Fate) -> Fix:
    """Return the commands that bind the object to another provider instance, or forget it."""
    address = str(fate.instance.addr)
    forget = (
        Fix.of("Or forget it with ", subject.command_on("forget-deposed", address), ".")
        if fate.obj.deposed
        else Fix.of("Or forget it, and keep the real object, with ", subject.command_on("rm", address), ".")
    )
    for other in _other_instances(subject, fate):
        bound = rebinding(subject, fate, other)
        if bound is not None:
            to = as_in_state(fate, other)
            return Fix.of(f"Or bind it to {to}, whose arguments are the same, with ", bound, ". ", forget)
    if next(_candidates(subject, fate), None) is not None:
        return Fix.of("Or rebind it to a provider instance of the same account and region, if there is one. ", forget)
    return forget


def rebinding(subject: Subject, fate: Fate, provider: AbsProviderInstance) -> Fix | None:
    """Return the command that binds the object to a provider instance, or None if there is none.

    The instances of a resource can move to another configuration only together. Each then gets the key that is right
    for it; the result is None if another instance has no such key.
    """
    to = as_in_state(fate, provider)
    assert subject.configuration is not None
    # The provider may be new to the state.
    config = ("--config", subject.configuration.configuration.directory)
    if provider.config == fate.bound.config:
        return subject.command("rebind", str(fate.instance.addr), str(to), *config)
    address = str(_resource(fate))
    going = _going(subject, fate, provider)
    if going.homeless:
        if len(going.homeless) > 1 or going.homeless[0] is not fate:
            return None
        going = _joint({**going.keys, fate.bound.key: {*going.keys.get(fate.bound.key, ()), provider.key}}, [])
    if going.together:
        return subject.command("rebind", address, str(to), *config)
    if going.pairs:
        return subject.command("rebind", address, str(to.config), "--map", going.pairs, *config)
    rebind = subject.command("rebind", address, str(to), *config)
    return Fix.of(rebind, ", which moves all its instances: rebind the others afterwards")


class _Going(NamedTuple):
    """The provider keys of a resource's objects in another configuration: new keys by old keys.

    `homeless` are the objects without a new key. `together` is set if all get the same key. `pairs` is the argument of
    `--map`, or "" if an old key has several new ones.
    """

    keys: dict[InstanceKey, set[InstanceKey]]
    homeless: list[Fate]
    together: bool
    pairs: str


def _joint(keys: dict[InstanceKey, set[InstanceKey]], homeless: list[Fate]) -> _Going:
    together = len(set().union(*keys.values())) == 1
    pairs = ""
    if not together and all(len(each) == 1 for each in keys.values()):
        pairs = ",".join(f"{_map_key(old)}={_map_key(*new)}" for old, new in keys.items())
    # Use a placeholder for long maps, since the command is repeated for each object.
    return _Going(keys, homeless, together, pairs if len(keys) <= MOST_KEYS else "OLD=NEW,...")


def _going(subject: Subject, fate: Fate, provider: AbsProviderInstance) -> _Going:
    known = subject.once(_nothing_known)
    address = _resource(fate), provider.config
    if address not in known:
        keys: dict[InstanceKey, set[InstanceKey]] = {}
        homeless = []
        for each in fates_of_resource(subject, fate):
            key = _key_for(subject, each, provider)
            if key is None:
                homeless.append(each)
            else:
                keys.setdefault(each.bound.key, set()).add(key)
        known[address] = _joint(keys, homeless)
    return known[address]


def _nothing_known(subject: Subject) -> dict[tuple[AbsResource, ConfigProviderConfig], _Going]:
    return {}


def removed_block_note(fate: Fate) -> str:
    """Return a note that a `removed` block does not help, if there is one: OpenTofu needs the provider first."""
    if fate.removal is None:
        return ""
    return f" The removed block at {where(fate.removal.block.range)} needs it too."


def _resource(fate: Fate) -> AbsResource:
    return fate.instance.addr.containing_resource()


def as_in_state(fate: Fate, provider: AbsProviderInstance) -> AbsProviderInstance:
    """Return a provider instance with the source from the state, which may be in Terraform's registry."""
    own = fate.instance.provider(fate.obj)
    assert own is not None, "an object without a provider has no fate"
    if own.config.provider == fate.bound.config.provider or provider.config.provider != fate.bound.config.provider:
        return provider
    return structs.replace(provider, config=structs.replace(provider.config, provider=own.config.provider))


def _map_key(key: InstanceKey) -> str:
    """Format a key for `--map`, quoted if it would otherwise be misread."""
    if not isinstance(key, StringKey):
        return ""
    return key.value if _PLAIN_KEY.fullmatch(key.value) else str(key)[1:-1]


def _key_for(subject: Subject, fate: Fate, provider: AbsProviderInstance) -> InstanceKey | None:
    """Return the key of an object that moves to the configuration of `provider`, or None if there is none."""
    if fate.needed is not None and fate.needed.config == provider.config and fate.outcome in THERE:
        return fate.needed.key
    for key in (fate.bound.key, NO_KEY):
        if _has(subject, provider.config, key):
            return key
    return None


def _other_instances(subject: Subject, fate: Fate) -> Iterator[AbsProviderInstance]:
    """Yield existing provider instances with the same arguments as the object's, the likeliest first.

    Another account or region would not have the object. First is the one that another object of the same instance uses,
    or else the one that the resource block names, then others of the same provider: in its own configuration, then in
    configurations of its module or ancestors.
    """
    references = subject.configuration
    assert references is not None
    mine = fate.needed if fate.needed is not None and fate.needed.config == fate.bound.config else fate.bound
    for other in _candidates(subject, fate):
        if references.same_settings(mine, other):
            yield other


def _candidates(subject: Subject, fate: Fate) -> Iterator[AbsProviderInstance]:
    references = subject.configuration
    assert references is not None
    there = provider_of_instance(subject, fate)
    if there is not None:
        # All objects of an instance move together, and one already has the right provider.
        yield there
        return
    if fate.binding is not None and fate.needed is not None and _has(subject, fate.needed.config, fate.needed.key):
        yield fate.needed
    inside = fate.instance.addr.module.module().names
    own = [fate.bound.config] if fate.binding is None else [fate.binding.config, fate.bound.config]
    others = [
        config
        for config in references.tree.declared
        if config.provider == fate.bound.config.provider and inside[: len(config.module.names)] == config.module.names
    ]
    for config in (*own, *others):
        if _has(subject, config, fate.bound.key):
            yield config.instance(fate.bound.key)
        else:
            yield from map(config.instance, _keys(subject, config)[:_MOST_COMPARED])


def _has(subject: Subject, config: ConfigProviderConfig, key: InstanceKey) -> bool:
    references = subject.configuration
    assert references is not None
    # A configuration without an alias cannot have keys.
    return (bool(config.alias) or key is NO_KEY) and references.declares(config.instance(key)) is True


def _keys(subject: Subject, config: ConfigProviderConfig) -> Sequence[InstanceKey]:
    """Return the keys of a provider configuration; none if it does not exist or its keys are unknown."""
    references = subject.configuration
    assert references is not None
    keys = references.declared_keys(config) if references.tree.exists(config) else ()
    return () if isinstance(keys, Unknown) else keys
