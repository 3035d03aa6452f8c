"""The request to bind resources to another provider or provider configuration."""

from __future__ import annotations

from statefmt.analysis.selection.criteria import Criteria, criteria_of
from statefmt.edit.changes.bindings import new_bindings
from statefmt.edit.changes.edit import Edit, with_note
from statefmt.edit.operations.replace_provider import Replaced, parse_replaced, replace_provider
from statefmt.edit.requests.choose import Note, Selection, choose
from statefmt.edit.requests.known_providers import KnownProviders
from statefmt.model.addrs.provider import LEGACY_NAMESPACE, Provider
from statefmt.model.snapshot import Snapshot


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
