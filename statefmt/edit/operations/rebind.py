"""`rebind`: bind instances to another provider instance.

All instances of a resource share one provider configuration and differ only in the provider key. So some of them can be
bound to another instance of that configuration, but to another configuration only all of them together.
Source: RFC "Static Evaluation of Provider Iteration".
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from statefmt.edit.arguments.key_map import KeyMap, keys_among
from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.only import only
from statefmt.edit.changes.ways import REPLACE_PROVIDER_COMMAND
from statefmt.edit.changes.whole_resources import named, refuse_parts
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    key_order,
)
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, ResourceState, Snapshot


def rebind(
    snapshot: Snapshot,
    chosen: Sequence[InstanceState],
    to: AbsProviderInstance | None = None,
    *,
    mapping: KeyMap | None = None,
    whole_resource: bool = False,
) -> Edit:
    """Bind instances, with their deposed objects, to the provider instance `to`.

    With a `mapping` of old provider keys to new ones, each object gets the new key for its old one; objects with other
    keys stay. `to` is then the configuration for all of them, or None for their own. With `whole_resource`, all
    instances of a resource follow a chosen one. Raises SurgeryError if a resource would get two configurations (naming
    the instances that are not chosen), if the provider differs, or if the mapping has a key that no object has or
    lacks one that is needed.
    """
    if to is None and mapping is None:
        raise SurgeryError("no provider instance given; name one or map keys")
    wanted = {instance.addr for instance in chosen}
    meant = {instance.resource.addr: instance.resource for instance in chosen}
    for resource in meant.values():
        refuse_other_provider(resource, to)
    if mapping is not None:
        holders: Sequence[ResourceState | InstanceState] = list(meant.values()) if whole_resource else chosen
        known = {obj.provider_key for holder in holders for obj in holder.objects}
        mapping = keys_among(mapping, known)
        _check_mapping(known, to, mapping, only(instance.addr for instance in chosen))
    if not whole_resource:
        leaving = (resource for resource in meant.values() if to and to.config != resource.provider_config)
        refuse_parts(leaving, wanted, "one provider configuration")
    after = tuple(
        _rebound(resource, None if whole_resource else wanted, to, mapping) if resource.addr in meant else resource
        for resource in snapshot.resources
    )
    notes = () if to is None else _outside(list(meant.values()), to)
    return Edit(replace(snapshot, resources=after), notes=notes)


def refuse_other_provider(resource: ResourceState, to: AbsProviderInstance | None) -> None:
    """Raise SurgeryError if a resource cannot be bound to an instance of another provider."""
    config = resource.provider_config
    if to is not None and config is not None and config.provider != to.config.provider:
        raise SurgeryError(
            f"{resource.addr} is a resource of {config.provider}, but {to} belongs to another provider; use ",
            REPLACE_PROVIDER_COMMAND,
            " to change the provider",
            address=resource.addr,
        )


def _check_mapping(
    known: set[InstanceKey], to: AbsProviderInstance | None, mapping: KeyMap, about: AbsResourceInstance | None
) -> None:
    if to is not None and to.key is not NO_KEY:
        raise SurgeryError(
            f"{to} has a key, but the mapping supplies the keys; give only the configuration: {to.config}", address=to
        )
    unknown = [key for key in mapping if key not in known]
    if unknown:
        there = named([_key_name(key) for key in sorted(known, key=key_order)])
        raise SurgeryError(
            f"no selected instance is bound to a provider instance with {_key_name(unknown[0])}; there are:{there}",
            address=about,
        )


def _rebound(
    resource: ResourceState,
    wanted: set[AbsResourceInstance] | None,
    to: AbsProviderInstance | None,
    mapping: KeyMap | None,
) -> ResourceState:
    config = resource.provider_config if to is None else to.config
    moves = config != resource.provider_config

    def bound(obj: ResourceInstanceObject) -> ResourceInstanceObject:
        addr = resource.addr.instance(obj.key)
        if wanted is not None and addr not in wanted:
            return obj
        if mapping is None:
            key = obj.provider_key if to is None else to.key
        elif moves and obj.provider_key not in mapping:
            raise SurgeryError(
                f"{addr} is bound to {resource.provider_config}{obj.provider_key}, but the mapping to instances of "
                f"{config} has no entry for it ({_key_name(obj.provider_key)})",
                address=addr,
            )
        else:
            key = mapping.get(obj.provider_key, obj.provider_key)
        _check_key(addr, config, key)
        return obj if key == obj.provider_key else replace(obj, provider_key=key)

    objects = tuple(map(bound, resource.objects))
    same = not moves and all(one is other for one, other in zip(objects, resource.objects, strict=True))
    return resource if same else replace(resource, provider_config=config, objects=objects)


def _check_key(addr: AbsResourceInstance, config: ConfigProviderConfig | None, key: InstanceKey) -> None:
    if key is not NO_KEY and (config is None or not config.alias):
        raise SurgeryError(
            f"{addr}: {config} has no alias; only a configuration with an alias can have {key}", address=addr
        )


def _outside(resources: Sequence[ResourceState], to: AbsProviderInstance) -> tuple[str, ...]:
    """Return a note on resources that no configuration can bind to `to`; this may be a step of a longer edit."""
    module = to.config.module.names
    outside = [str(r.addr) for r in resources if r.addr.config().module.names[: len(module)] != module]
    if not outside:
        return ()
    return (f"{to.config} can be used only within its own module, and these are elsewhere:{named(outside)}",)


def _key_name(key: InstanceKey) -> str:
    return "no key" if key is NO_KEY else f"the key {key}"
