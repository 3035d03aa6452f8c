"""The request to unset attributes of instances."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.unset import unset_attributes
from statefmt.edit.requests.choose import Note, Selection, choose
from statefmt.model.snapshot import Snapshot


def unset_request(snapshot: Snapshot, chosen: Selection, paths: Sequence[str], *, note: Note = lambda _: None) -> Edit:
    """Set attributes of the selected instances to null, or remove them from a map; they may be sensitive.

    Raises SelectionError, and SurgeryError for a path that does not exist.
    """
    if isinstance(paths, str):
        raise TypeError("paths must be several strings, not one")
    return unset_attributes(snapshot, choose(snapshot, chosen, note), paths, allow_sensitive=True)
