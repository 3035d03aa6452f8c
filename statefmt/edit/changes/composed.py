"""Joins two edits, one after the other, into one."""

from __future__ import annotations

from statefmt.edit.changes.edit import Edit
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot


def composed(first: Edit, second: Edit) -> Edit:
    """Return the edit from the snapshot before `first` to that after `second`.

    Raises SurgeryError if one of them restores an earlier content, which replaces all others.
    """
    if first.restored is not None or second.restored is not None:
        raise SurgeryError("an earlier content cannot be restored in a transaction; use State.undo()")
    moved = {one: second.moved.get(other, other) for one, other in first.moved.items()}
    arrived = frozenset(first.moved.values())
    moved |= {one: other for one, other in second.moved.items() if one not in arrived}
    there = _addresses(second.snapshot) if moved else frozenset()
    # An instance that came back to its address has not moved, and one that was removed is nowhere.
    moved = {one: other for one, other in moved.items() if one != other and other in there}
    notes, joins = (*first.notes, *second.notes), (*first.joins, *second.joins)
    return Edit(second.snapshot, moved, notes, joins)


def _addresses(snapshot: Snapshot) -> frozenset[object]:
    return frozenset(resource.addr.instance(obj.key) for resource in snapshot.resources for obj in resource.objects)
