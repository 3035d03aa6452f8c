"""The requests to mark instances as tainted, and to remove the mark."""

from __future__ import annotations

from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.taint import taint, untaint
from statefmt.edit.requests.choose import Note, Selection, choose
from statefmt.model.snapshot import Snapshot


def taint_request(snapshot: Snapshot, chosen: Selection, *, note: Note = lambda _: None) -> Edit:
    """Mark the selected instances as tainted, so that the next plan replaces them.

    Raises SelectionError, and SurgeryError for what is not managed or has no current object.
    """
    return taint(snapshot, choose(snapshot, chosen, note))


def untaint_request(snapshot: Snapshot, chosen: Selection, *, note: Note = lambda _: None) -> Edit:
    """Remove the tainted mark from the selected instances, so that the next plan keeps them.

    Raises SelectionError, and SurgeryError for an instance that is not tainted.
    """
    return untaint(snapshot, choose(snapshot, chosen, note))
