"""`replace-provider`: bind resources to another provider, or to another provider configuration.

Source: OpenTofu `internal/command/state_replace_provider.go`, which takes all resources of a provider and keeps alias,
module and keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from statefmt.analysis.selection import Criteria, criteria_of
from statefmt.analysis.selection.patterns import invalid_provider
from statefmt.analysis.targets import short_name, sources_in_state, unknown_in_state, unknown_source
from statefmt.edit.changes import REBIND_COMMAND, Edit, Note, Selection, choose, named, refuse_parts, with_note
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, AbsResourceInstance, ConfigProviderConfig
from statefmt.model.addrs.parsing import parse_abs_provider_instance
from statefmt.model.addrs.provider import LEGACY_NAMESPACE, TERRAFORM_HOST, Provider, parse_provider_source
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.model.provider_binding import read_as_terraform
from statefmt.model.snapshot import ResourceState, Snapshot

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences


def replace_provider_request(
    snapshot: Snapshot,
    chosen: Selection,
    old: str | Replaced,
    new: str | Replaced,
    *,
    whole_resource: bool = False,
    known: KnownProviders | None = None,
    note: Note = lambda _: None,
) -> Edit:
    """Replace a provider source or configuration in the selected resources, in all of them without criteria.

    With `known`, only providers among those are allowed. Raises SelectionError and SurgeryError.
    """
    chosen = criteria_of(chosen)
    old = parse_replaced(old) if isinstance(old, str) else old
    new = parse_replaced(new) if isinstance(new, str) else new
    found = None if chosen == Criteria() else [instance.addr for instance in choose(snapshot, chosen, note)]
    edit = replace_provider(snapshot, old, new, found, whole_resource=whole_resource)
    if known is None:
        return edit
    if isinstance(new, Provider):
        if isinstance(old, Provider) and old.namespace == LEGACY_NAMESPACE and old.type == new.type:
            # The state cannot use the source yet: it does not say where the provider comes from.
            return edit
        known.refuse_unknown_source(snapshot, new)
        return edit
    bound = new_bindings(snapshot, edit.snapshot)
    return with_note(edit, *known.refuse_unknown(snapshot, bound, short=False))


# A source means all its configurations.
Replaced: TypeAlias = Provider | ConfigProviderConfig

_FORM: Final = '; write it as hashicorp/aws or provider["hashicorp/aws"].west'


def parse_replaced(text: str, *, instead_of: Replaced | None = None) -> Replaced:
    """Parse a provider source (`hashicorp/aws`) or configuration (`module.m.provider["hashicorp/aws"].west`).

    Also accepts Terraform's form for a provider known by its type only, `registry.terraform.io/-/aws`, which can only
    be replaced: a source without a host that is `instead_of` one of these is in Terraform's registry. Raises
    InvalidAddressError if the text is none of these.
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
        raise invalid_provider(text, error, _is_valid, form=_FORM) from error
    if instance.key is not NO_KEY:
        raise SurgeryError(
            f"{text} is an instance of a provider configuration; use ", REBIND_COMMAND, " to bind to it", address=text
        )
    return instance.config.provider if is_source else instance.config


def _is_valid(text: str) -> bool:
    try:
        return bool(parse_abs_provider_instance(text))
    except AddressError:
        return False


def replace_provider(
    snapshot: Snapshot,
    old: Replaced,
    new: Replaced,
    chosen: Collection[AbsResourceInstance] | None = None,
    *,
    whole_resource: bool = False,
) -> Edit:
    """Bind resources to another provider (two sources), or from one configuration to another (two configurations).

    Two sources keep module, alias and keys; two configurations keep the keys. `chosen` limits this to the resources of
    some instances; None means all. Resources not bound to `old` stay. Raises SurgeryError if nothing is bound to `old`,
    if only part of a resource is chosen without `whole_resource`, or if keys would be lost.
    """
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
    meant = _meant(snapshot, chosen)
    bound = {resource.addr for resource in meant if _is_bound(resource, old)}
    if not bound:
        raise SurgeryError(_nothing_bound(meant, old, chosen is not None), address=old)
    if chosen is not None and not whole_resource:
        refuse_parts([resource for resource in meant if resource.addr in bound], chosen, "one provider configuration")
    after = [_replaced(r, new) if r.addr in bound else r for r in snapshot.resources]
    return Edit(replace(snapshot, resources=tuple(after)))


def _meant(snapshot: Snapshot, chosen: Collection[AbsResourceInstance] | None) -> list[ResourceState]:
    if chosen is None:
        return list(snapshot.resources)
    wanted = {addr.containing_resource() for addr in chosen}
    return [resource for resource in snapshot.resources if resource.addr in wanted]


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
    """The providers that an edit may bind to: those of a configuration or, without one, those of the state.

    `way_out` completes "If this is intended, ".
    """

    way_out: str
    references: ProviderReferences | None = None

    def refuse_unknown(
        self, snapshot: Snapshot, wanted: Iterable[AbsProviderInstance], *, short: bool = True
    ) -> Sequence[str]:
        """Raise SurgeryError if one of these provider instances does not exist; return notes.

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
        """Raise SurgeryError if the configuration does not use a source or, without one, the state does not."""
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
    """Return the provider instances of objects that were bound to another before, each once.

    Both snapshots have the same objects in the same order. A resource without objects is bound to no key.
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
