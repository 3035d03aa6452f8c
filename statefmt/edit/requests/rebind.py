"""The request to bind instances to another provider instance."""

from __future__ import annotations

from statefmt.analysis.selection import Criteria
from statefmt.edit.arguments.key_map import KeyMap
from statefmt.edit.arguments.provider_target import provider_target
from statefmt.edit.changes.bindings import new_bindings
from statefmt.edit.changes.edit import Edit, with_note
from statefmt.edit.operations.rebind import rebind
from statefmt.edit.requests.choose import Note, choose
from statefmt.edit.requests.known_providers import KnownProviders
from statefmt.model.snapshot import Snapshot


def rebind_request(
    snapshot: Snapshot,
    chosen: Criteria,
    target: str | None,
    *,
    mapping: KeyMap | None = None,
    whole_resource: bool = False,
    known: KnownProviders | None = None,
    note: Note = lambda _: None,
) -> Edit:
    """Bind the selected instances to the provider instance `target`, or map their provider keys.

    With a `mapping`, `target` is the new configuration, or None for their own. With `known`, only providers among those
    are allowed. Raises SelectionError and SurgeryError.
    """
    found = choose(snapshot, chosen, note)
    to = None if target is None else provider_target(target, found)
    notes = known.refuse_unknown(snapshot, [to]) if known and to is not None and mapping is None else ()
    edit = rebind(snapshot, found, to, mapping=mapping, whole_resource=whole_resource)
    if known and mapping is not None:
        notes = known.refuse_unknown(snapshot, new_bindings(snapshot, edit.snapshot))
    return with_note(edit, *notes)
