"""`rebind`: bind instances to another provider instance.

All instances of a resource share one provider configuration and differ only in the provider key. So some of them can be
bound to another instance of that configuration, but to another configuration only all of them together.
Source: RFC "Static Evaluation of Provider Iteration".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from statefmt.analysis.selection.patterns import invalid_provider
from statefmt.edit.changes import (
    REPLACE_PROVIDER_COMMAND,
    Edit,
    Note,
    Selection,
    choose,
    named,
    only,
    refuse_parts,
    with_note,
)
from statefmt.edit.key_map import KeyMap, keys_among
from statefmt.edit.operations.replace_provider import KnownProviders, new_bindings
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    LocalProviderConfig,
    LocalProviderInstance,
    Module,
    key_order,
)
from statefmt.model.addrs.parsing import parse_abs_provider_instance, parse_local_provider_instance
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, ResourceState, Snapshot

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences


def rebind_request(
    snapshot: Snapshot,
    chosen: Selection,
    target: str | AbsProviderInstance | None = None,
    *,
    mapping: KeyMap | None = None,
    whole_resource: bool = False,
    known: KnownProviders | None = None,
    references: ProviderReferences | None = None,
    note: Note = lambda _: None,
) -> Edit:
    """Bind the selected instances to the provider instance `target`, or map their provider keys.

    With a `mapping`, `target` is the new configuration, or None for their own. With `known`, only providers among those
    are allowed. A short name is one in the root module of `references`, if there are any. Raises SelectionError and
    SurgeryError.
    """
    found = choose(snapshot, chosen, note)
    if target is not None and not isinstance(target, (str, AbsProviderInstance)):
        raise TypeError(f"target must be a string or an AbsProviderInstance, not {type(target).__name__}")
    to = None if target is None else provider_target(str(target), found, snapshot, references)
    if to is not None and mapping is None and all(_is_bound(instance, to) for instance in found):
        # Nothing to allow: the way out of a refusal would change nothing.
        return Edit(snapshot, notes=(f"the selected instances are bound to {to} already",))
    for instance in found:
        # Refused first: to allow an unknown provider would be of no use.
        refuse_other_provider(instance.resource, to)
    notes = known.refuse_unknown(snapshot, [to]) if known and to is not None and mapping is None else ()
    edit = rebind(snapshot, found, to, mapping=mapping, whole_resource=whole_resource)
    if known and mapping is not None:
        notes = known.refuse_unknown(snapshot, new_bindings(snapshot, edit.snapshot))
    return with_note(edit, *notes)


def _is_bound(instance: InstanceState, provider: AbsProviderInstance) -> bool:
    config = instance.resource.provider_config
    return config == provider.config and all(obj.provider_key == provider.key for obj in instance.objects)


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


_FORM: Final = '; write it as aws.west or provider["hashicorp/aws"].by_region["eu"]'


def provider_target(
    text: str, chosen: Sequence[InstanceState], snapshot: Snapshot, references: ProviderReferences | None = None
) -> AbsProviderInstance:
    """Parse a provider instance: an address, or a local name as in a configuration, such as `aws.by_region["eu"]`.

    A local name means a configuration in the root module, with `references` one that these declare under that name. It
    can also mean the configuration of the chosen instances, in a module, if that has this alias, and if the edit would
    change anything. Of these two, the one that the configuration declares is meant, else the one that the `snapshot`
    uses. Raises InvalidAddressError if the text is neither, SurgeryError if it is ambiguous.
    """
    try:
        return parse_abs_provider_instance(text)
    except AddressError as error:
        try:
            local = parse_local_provider_instance(text)
        except AddressError:
            raise invalid_provider(text, error, _is_valid, "provider instance", _FORM) from error
    return _config(text, local, chosen, snapshot, references).instance(local.key)


def _is_valid(text: str) -> bool:
    for parse in (parse_abs_provider_instance, parse_local_provider_instance):
        try:
            return bool(parse(text))
        except AddressError:
            continue
    return False


def _config(
    text: str,
    local: LocalProviderInstance,
    chosen: Sequence[InstanceState],
    snapshot: Snapshot,
    references: ProviderReferences | None,
) -> ConfigProviderConfig:
    alias = local.config.alias
    configs = {i.resource.provider_config for i in chosen}
    known = {config for config in configs if config is not None and _is_named(local.config, config, references)}
    root = {ConfigProviderConfig(Module(), config.provider, alias) for config in known}
    changed = {i.resource.provider_config for i in chosen if _changes(i, local)}
    own = {config for config in known - root if config.alias == alias and config in changed}
    meant = root | own
    if own:
        there = {config for config in meant if _exists(config, snapshot, references)}
        # What does not exist is refused later, with the nearest names.
        meant = there or root
    if len(meant) == 1:
        return meant.pop()
    if not meant:
        bound = named(sorted({str(config) for config in configs if config is not None}))
        raise SurgeryError(
            f"{text}: none of the selected instances has a provider {local.config.local_name}; they are bound "
            f"to:{bound}",
            address=text,
        )
    raise SurgeryError(
        f"{text} is ambiguous; write one of:" + named(sorted(str(config.instance(local.key)) for config in meant)),
        address=text,
    )


def _is_named(local: LocalProviderConfig, config: ConfigProviderConfig, references: ProviderReferences | None) -> bool:
    """Whether a local name means the provider of `config`: in the root module of a configuration, or by its type."""
    if references is None:
        return config.provider.type == local.local_name
    from statefmt.analysis.providers.fates import required_sources, translated
    from statefmt.configuration.provider_reference import provider_named

    source = provider_named(references.configuration.modules[Module()].declarations, local.local_name)
    bound = translated(config.instance(), required_sources(references.configuration)).config.provider
    return source == bound if source is not None else config.provider.type == local.local_name


def _changes(instance: InstanceState, local: LocalProviderInstance) -> bool:
    """Whether another key in its own configuration would change anything about an instance."""
    return any(obj.provider_key != local.key for obj in instance.objects)


def _exists(config: ConfigProviderConfig, snapshot: Snapshot, references: ProviderReferences | None) -> bool:
    if references is None:
        return any(resource.provider_config == config for resource in snapshot.resources)
    from statefmt.analysis.providers.fates import required_sources, translated

    bound = translated(config.instance(), required_sources(references.configuration)).config
    return references.tree.exactly(bound) is not None
