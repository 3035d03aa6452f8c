"""The request to bind instances to another provider instance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.edit.arguments.key_map import KeyMap
from statefmt.edit.arguments.provider_target import provider_target
from statefmt.edit.changes.bindings import new_bindings
from statefmt.edit.changes.edit import Edit, with_note
from statefmt.edit.operations.rebind import rebind, refuse_other_provider
from statefmt.edit.requests.choose import Note, Selection, choose
from statefmt.edit.requests.known_providers import KnownProviders
from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.snapshot import InstanceState, Snapshot

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
