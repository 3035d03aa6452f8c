"""The request to forget deposed objects."""

from __future__ import annotations

from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.forget_deposed import forget_deposed
from statefmt.edit.requests.choose import Note, Selection, choose
from statefmt.model.snapshot import Snapshot


def forget_deposed_request(
    snapshot: Snapshot, chosen: Selection, key: str | None = None, *, note: Note = lambda _: None
) -> Edit:
    """Forget the deposed objects of the selected instances: all of them, or those with the deposed key `key`.

    An instance without other objects is forgotten. Raises SelectionError, and SurgeryError if there are none.
    """
    return forget_deposed(snapshot, choose(snapshot, chosen, note), key)
