"""The request to set attributes of instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from statefmt.edit.arguments.assignment import Assignment
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.set import set_attributes, with_schema_version
from statefmt.edit.requests.choose import Note, Selection, choose
from statefmt.model.snapshot import Snapshot

if TYPE_CHECKING:
    # Most edits go without schemas.
    from statefmt.lifecycle.schema import ProviderSchemas

# The most addresses that a note lists.
_MOST = 10


def set_request(
    snapshot: Snapshot,
    chosen: Selection,
    shown: Sequence[Assignment],
    secret: Sequence[Assignment] = (),
    *,
    schema_version: int | None = None,
    force_type: bool = False,
    schemas: ProviderSchemas | None = None,
    note: Note = lambda _: None,
) -> Edit:
    """Set attributes of the selected instances: first those whose new values other users may see, then the secret ones.

    With a `schema_version`, all objects of the instances get it. Only secret values may replace sensitive ones. With
    `schemas`, the new attributes must decode by their types, and what these make sensitive counts as such; a note names
    what they cannot tell. Raises SelectionError and SurgeryError.
    """
    before = snapshot
    for given, is_secret in ((shown, False), (secret, True)):
        found = choose(snapshot, chosen, note)
        if schemas is not None and not is_secret:
            from statefmt.edit.decodable import refuse_sensitive

            refuse_sensitive(found, given, schemas)
        snapshot = set_attributes(snapshot, found, given, force_type=force_type, allow_sensitive=is_secret).snapshot
    if schema_version is not None:
        snapshot = with_schema_version(snapshot, choose(snapshot, chosen, note), schema_version).snapshot
    if schemas is not None:
        from statefmt.edit.decodable import refuse_undecodable

        unchecked = refuse_undecodable(before, snapshot, schemas)
        if unchecked:
            return Edit(snapshot, notes=(_note(unchecked),))
    return Edit(snapshot)


def _note(unchecked: Sequence[str]) -> str:
    shown = [f"  {address}" for address in unchecked[:_MOST]]
    more = [f"  … and {len(unchecked) - _MOST:,} more"] if len(unchecked) > _MOST else []
    return "\n".join(["Not checked, as the schemas do not have the type in this schema version:", *shown, *more])
