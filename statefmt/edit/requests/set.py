"""The request to set attributes of instances."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.analysis.selection import Criteria
from statefmt.edit.arguments.assignment import Assignment
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.set import set_attributes
from statefmt.edit.requests.choose import Note, choose
from statefmt.model.snapshot import Snapshot


def set_request(
    snapshot: Snapshot,
    chosen: Criteria,
    shown: Sequence[Assignment],
    secret: Sequence[Assignment],
    *,
    force_type: bool = False,
    note: Note = lambda _: None,
) -> Edit:
    """Set attributes of the selected instances: first those whose new values other users may see, then the secret ones.

    Only secret values may replace sensitive ones. Raises SelectionError and SurgeryError.
    """
    for given, is_secret in ((shown, False), (secret, True)):
        found = choose(snapshot, chosen, note)
        snapshot = set_attributes(snapshot, found, given, force_type=force_type, allow_sensitive=is_secret).snapshot
    return Edit(snapshot)
