"""The request to set attributes of instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from statefmt.analysis.selection import Criteria
from statefmt.edit.arguments.assignment import Assignment
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.set import set_attributes
from statefmt.edit.requests.choose import Note, choose
from statefmt.model.snapshot import Snapshot

if TYPE_CHECKING:
    # Most edits go without schemas.
    from statefmt.lifecycle.schemas.providers import ProviderSchemas


def set_request(
    snapshot: Snapshot,
    chosen: Criteria,
    shown: Sequence[Assignment],
    secret: Sequence[Assignment],
    *,
    force_type: bool = False,
    schemas: ProviderSchemas | None = None,
    note: Note = lambda _: None,
) -> Edit:
    """Set attributes of the selected instances: first those whose new values other users may see, then the secret ones.

    Only secret values may replace sensitive ones. With `schemas`, the new attributes must decode by their types. Raises
    SelectionError and SurgeryError.
    """
    before = snapshot
    for given, is_secret in ((shown, False), (secret, True)):
        found = choose(snapshot, chosen, note)
        snapshot = set_attributes(snapshot, found, given, force_type=force_type, allow_sensitive=is_secret).snapshot
    if schemas is not None:
        from statefmt.edit.decodable import refuse_undecodable

        refuse_undecodable(before, snapshot, schemas)
    return Edit(snapshot)
