"""`rebind`: bind instances to another provider instance. `replace-provider`: bind resources to another provider.

All instances of a resource share one provider configuration and differ only in the provider key. So some instances can
be bound to another instance of that configuration, but only all instances together to another configuration. Source:
RFC "Static Evaluation of Provider Iteration".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from statefmt.analysis.selection import Criteria
from statefmt.analysis.selection.patterns import invalid_provider
from statefmt.analysis.targets import short_name, sources_in_state, unknown_in_state, unknown_source
from statefmt.edit.changes import (
    REBIND_COMMAND,
    REPLACE_PROVIDER_COMMAND,
    Edit,
    Note,
    Selection,
    choose,
    named,
    only,
    refuse_parts,
    selection_of,
)
from statefmt.edit.key_map import KeyMap, keys_among
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
from statefmt.model.addrs.provider import LEGACY_NAMESPACE, TERRAFORM_HOST, Provider, parse_provider_source
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.model.provider_binding import read_as_terraform
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, ResourceState, Snapshot

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences


def rebind(
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
    """Bind the selected instances, with their deposed objects, to the provider instance `target`.

    With a `mapping` of old provider keys to new ones, each object gets the new key for its old key; objects with other
    keys stay. `target` is then the configuration for all objects, or None to keep theirs. With `whole_resource`, all
    instances of a resource follow a selected instance. With `known`, only these providers are allowed. A short name is
    a local name in the root module of `references`, if given.

    Raises SelectionError, and SurgeryError if a resource would get two configurations (naming the instances that are
    not selected), if the provider differs, or if the mapping has an unused key or lacks a needed key.
    """
    found = choose(snapshot, chosen, note)
    if target is not None and not isinstance(target, (str, AbsProviderInstance)):
        raise TypeError(f"target must be a string or an AbsProviderInstance, not {type(target).__name__}")
    to = None if target is None else provider_target(str(target), found, snapshot, references)
    if to is None and mapping is None:
        raise SurgeryError("no provider instance given; name one or map keys")
    if to is not None and mapping is None and all(_is_bound_to(instance, to) for instance in found):
        # Nothing to allow: following the advice would change nothing.
        return Edit(snapshot, notes=(f"the selected instances are bound to {to} already",))
    meant = {instance.resource.addr: instance.resource for instance in found}
    for resource in meant.values():
        # Refused first: allowing an unknown provider would not help.
        _refuse_other_provider(resource, to)
    notes = known.refuse_unknown(snapshot, [to]) if known and to is not None and mapping is None else ()
    wanted = {instance.addr for instance in found}
    if mapping is not None:
        holders: Sequence[ResourceState | InstanceState] = list(meant.values()) if whole_resource else found
        keys = {obj.provider_key for holder in holders for obj in holder.objects}
        mapping = keys_among(mapping, keys)
        _check_mapping(keys, to, mapping, only(wanted))
    if not whole_resource:
        leaving = (resource for resource in meant.values() if to and to.config != resource.provider_config)
        refuse_parts(leaving, wanted, "one provider configuration")
    after = tuple(
        _rebound(resource, None if whole_resource else wanted, to, mapping) if resource.addr in meant else resource
        for resource in snapshot.resources
    )
    rebound = replace(snapshot, resources=after)
    if known and mapping is not None:
        notes = known.refuse_unknown(snapshot, new_bindings(snapshot, rebound))
    return Edit(rebound, notes=(*(() if to is None else _outside(list(meant.values()), to)), *notes))


def _is_bound_to(instance: InstanceState, provider: AbsProviderInstance) -> bool:
    config = instance.resource.provider_config
    return config == provider.config and all(obj.provider_key == provider.key for obj in instance.objects)


def _refuse_other_provider(resource: ResourceState, to: AbsProviderInstance | None) -> None:
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
        if key is not NO_KEY and (config is None or not config.alias):
            raise SurgeryError(
                f"{addr}: {config} has no alias; only a configuration with an alias can have {key}", address=addr
            )
        return obj if key == obj.provider_key else replace(obj, provider_key=key)

    objects = tuple(map(bound, resource.objects))
    same = not moves and all(one is other for one, other in zip(objects, resource.objects, strict=True))
    return resource if same else replace(resource, provider_config=config, objects=objects)


def _outside(resources: Sequence[ResourceState], to: AbsProviderInstance) -> tuple[str, ...]:
    """Return a note on resources that no configuration can bind to `to`; the edit may be a step of a longer change."""
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

    A local name means a configuration in the root module; with `references`, one that the root module declares. It can
    also mean the configuration of the chosen instances in a module, if that configuration has the alias and the edit
    would change anything. A declared configuration takes precedence, then one that the `snapshot` uses. Raises
    InvalidAddressError if the text is neither, SurgeryError if it is ambiguous.
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
    # A different key in their own configuration would change them.
    changed = {i.resource.provider_config for i in chosen if any(obj.provider_key != local.key for obj in i.objects)}
    own = {config for config in known - root if config.alias == alias and config in changed}
    meant = root | own
    if own:
        there = {config for config in meant if _exists(config, snapshot, references)}
        # A provider instance that does not exist is refused later, with the nearest names.
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
    """Return whether a local name means the provider of `config`: as declared in the root module, or by its type."""
    if references is None:
        return config.provider.type == local.local_name
    from statefmt.analysis.providers.fates import required_sources, translated
    from statefmt.configuration.provider_reference import provider_named

    source = provider_named(references.configuration.modules[Module()].declarations, local.local_name)
    bound = translated(config.instance(), required_sources(references.configuration)).config.provider
    return source == bound if source is not None else config.provider.type == local.local_name


def _exists(config: ConfigProviderConfig, snapshot: Snapshot, references: ProviderReferences | None) -> bool:
    if references is None:
        return any(resource.provider_config == config for resource in snapshot.resources)
    from statefmt.analysis.providers.fates import required_sources, translated

    bound = translated(config.instance(), required_sources(references.configuration)).config
    return references.tree.exactly(bound) is not None


def replace_provider(
    snapshot: Snapshot,
    chosen: Selection,
    old: str | Replaced,
    new: str | Replaced,
    *,
    whole_resource: bool = False,
    known: KnownProviders | None = None,
    note: Note = lambda _: None,
) -> Edit:
    """Bind resources to another provider (two sources), or from one configuration to another (two configurations).

    Changes the resources of the selected instances, by default all, if they are bound to `old`. Replacing a source
    keeps module, alias and keys; replacing a configuration keeps the keys. With `known`, only these providers are
    allowed. Raises SelectionError, and SurgeryError if nothing is bound to `old`, if only part of a resource is
    selected without `whole_resource`, or if keys would be lost.

    Source: OpenTofu `internal/command/state_replace_provider.go`, which changes all resources of a provider and keeps
    alias, module and keys.
    """
    old = parse_replaced(old) if isinstance(old, str) else old
    new = parse_replaced(new) if isinstance(new, str) else new
    is_all = selection_of(chosen) == Criteria()
    wanted = None if is_all else {instance.addr for instance in choose(snapshot, chosen, note)}
    if isinstance(old, Provider) is not isinstance(new, Provider):
        raise SurgeryError(
            f"{old} and {new}: one is a provider, the other a provider configuration; give two of the same kind"
        )
    source = new if isinstance(new, Provider) else new.provider
    if source.namespace == LEGACY_NAMESPACE and source.hostname == TERRAFORM_HOST:
        raise SurgeryError(
            f"{new} does not say where the provider comes from; give its source, such as NAMESPACE/{source.type}",
            address=new,
        )
    there = None if wanted is None else {addr.containing_resource() for addr in wanted}
    meant = [resource for resource in snapshot.resources if there is None or resource.addr in there]
    bound = {resource.addr for resource in meant if _is_bound(resource, old)}
    if not bound:
        raise SurgeryError(_nothing_bound(meant, old, wanted is not None), address=old)
    if wanted is not None and not whole_resource:
        refuse_parts([resource for resource in meant if resource.addr in bound], wanted, "one provider configuration")
    after = replace(snapshot, resources=tuple(_replaced(r, new) if r.addr in bound else r for r in snapshot.resources))
    if known is None:
        return Edit(after)
    if isinstance(new, Provider):
        # If the old provider has no source, the state cannot use the new one yet.
        if not (isinstance(old, Provider) and old.namespace == LEGACY_NAMESPACE and old.type == new.type):
            known.refuse_unknown_source(snapshot, new)
        return Edit(after)
    return Edit(after, notes=tuple(known.refuse_unknown(snapshot, new_bindings(snapshot, after), short=False)))


# A source means all its configurations.
Replaced: TypeAlias = Provider | ConfigProviderConfig

_REPLACED_FORM: Final = '; write it as hashicorp/aws or provider["hashicorp/aws"].west'


def parse_replaced(text: str, *, instead_of: Replaced | None = None) -> Replaced:
    """Parse a provider source (`hashicorp/aws`) or configuration (`module.m.provider["hashicorp/aws"].west`).

    Also accepts Terraform's form for a provider known by its type only, `registry.terraform.io/-/aws`, which can only
    be replaced: `instead_of` such a provider, a source without a host is in Terraform's registry. Raises
    InvalidAddressError for any other text.
    """
    is_source = "[" not in text
    legacy = read_as_terraform(f'provider["{text}"]' if is_source else text)
    try:
        if legacy is not None:
            instance = legacy
        elif is_source:
            source = parse_provider_source(text)
            if not isinstance(instead_of, Provider) or instead_of.namespace != LEGACY_NAMESPACE or text.count("/") > 1:
                return source
            return replace(source, hostname=instead_of.hostname)
        else:
            instance = parse_abs_provider_instance(text)
    except AddressError as error:
        raise invalid_provider(text, error, _is_provider, form=_REPLACED_FORM) from error
    if instance.key is not NO_KEY:
        raise SurgeryError(
            f"{text} is an instance of a provider configuration; use ", REBIND_COMMAND, " to bind to it", address=text
        )
    return instance.config.provider if is_source else instance.config


def _is_provider(text: str) -> bool:
    try:
        return bool(parse_abs_provider_instance(text))
    except AddressError:
        return False


def _is_bound(resource: ResourceState, old: Replaced) -> bool:
    config = resource.provider_config
    return config is not None and old in (config, config.provider)


def _replaced(resource: ResourceState, new: Replaced) -> ResourceState:
    config = resource.provider_config
    if isinstance(new, Provider):
        return resource if config is None else replace(resource, provider_config=replace(config, provider=new))
    if not new.alias and resource.has_provider_keys:
        raise SurgeryError(
            f"{resource.addr}: its instances are bound to instances of {config}, but {new} has no alias and so no "
            "instances; use ",
            REBIND_COMMAND,
            " to bind them all to it",
            address=resource.addr,
        )
    return replace(resource, provider_config=new)


def _nothing_bound(meant: Collection[ResourceState], old: Replaced, is_chosen: bool) -> str:
    configs = {resource.provider_config for resource in meant if resource.provider_config is not None}
    known = {str(config.provider if isinstance(old, Provider) else config) for config in configs}
    what = "none of the selected resources" if is_chosen else "no resource"
    there = f"; they are bound to:{named(sorted(known))}" if known else ""
    return f"{what} is bound to {old}{there}"


class KnownProviders(NamedTuple):
    """The providers that an edit may bind to: the providers of a configuration, else of the state.

    `way_out` completes "If this is intended, ".
    """

    way_out: str
    references: ProviderReferences | None = None

    def refuse_unknown(
        self, snapshot: Snapshot, wanted: Iterable[AbsProviderInstance], *, short: bool = True
    ) -> Sequence[str]:
        """Raise SurgeryError if a wanted provider instance does not exist; return notes.

        `short` allows short forms such as `aws.west` in the message.
        """
        name = short_name if short else str
        if self.references is None:
            unknown = unknown_in_state(snapshot, wanted, name)
            if unknown is not None:
                self._refuse(unknown.problem, unknown.provider)
            return ()
        from statefmt.analysis.declared_targets import undeclared_providers

        judgement = undeclared_providers(self.references, wanted, name)
        self._refuse(judgement.problem, judgement.about)
        return judgement.notes

    def refuse_unknown_source(self, snapshot: Snapshot, source: Provider) -> None:
        """Raise SurgeryError if the configuration, else the state, does not use a source."""
        if self.references is None:
            where, known = "no resource in the state uses", sources_in_state(snapshot)
        else:
            from statefmt.analysis.declared_targets import sources_in_configuration

            directory = self.references.configuration.directory
            where, known = f"the configuration in {directory} does not use", sources_in_configuration(self.references)
        problem = unknown_source(source, known)
        self._refuse(problem and f"{where} the provider {source.display}{problem}", source)

    def _refuse(self, problem: str, about: object) -> None:
        if problem:
            raise SurgeryError(f"{problem}\nIf this is intended, {self.way_out}", address=about)


def new_bindings(before: Snapshot, after: Snapshot) -> list[AbsProviderInstance]:
    """Return the new provider instances of rebound objects, each once.

    Both snapshots have the same objects in the same order. A resource without objects has no provider key.
    """
    found: dict[AbsProviderInstance, None] = {}
    for old, new in zip(before.resources, after.resources, strict=True):
        if old is new or new.provider_config is None:
            continue
        moves = old.provider_config != new.provider_config
        keys = {
            obj.provider_key: None
            for was, obj in zip(old.objects, new.objects, strict=True)
            if moves or obj.provider_key != was.provider_key
        }
        found.update((new.provider_config.instance(key), None) for key in keys)
        if moves and not new.objects:
            found[new.provider_config.instance()] = None
    return list(found)
