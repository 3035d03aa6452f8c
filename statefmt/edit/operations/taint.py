"""`taint` and `untaint`: mark objects to be replaced by the next plan.

Source of the conditions: OpenTofu `internal/command/taint.go`, `untaint.go`, `arguments/taint.go`.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from statefmt.edit.changes import Edit, Note, Selection, choose, named, only, with_objects
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ResourceMode
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import InstanceState, ObjectStatus, ResourceInstanceObject, Snapshot


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


def taint(snapshot: Snapshot, chosen: Sequence[InstanceState]) -> Edit:
    """Mark current objects as tainted; a note lists those that already were.

    Raises SurgeryError for a resource that is not managed and for an instance without a current object.
    """
    for instance in chosen:
        if instance.resource.addr.resource.mode is not ResourceMode.MANAGED:
            raise SurgeryError(
                f"{instance.addr} cannot be tainted: it is not a managed resource", address=instance.addr
            )
    tainted = _with_status(chosen, ObjectStatus.TAINTED)
    note = f"already tainted:{named([str(addr) for addr in tainted])}"
    return Edit(_marked(snapshot, chosen, ObjectStatus.TAINTED), notes=(note,) if tainted else ())


def untaint(snapshot: Snapshot, chosen: Sequence[InstanceState]) -> Edit:
    """Remove the mark. Raises SurgeryError for an instance that is not tainted or has no current object."""
    ready = _with_status(chosen, ObjectStatus.READY)
    if ready:
        raise SurgeryError(f"not tainted:{named([str(addr) for addr in ready])}", address=only(ready))
    return Edit(_marked(snapshot, chosen, ObjectStatus.READY))


def _with_status(chosen: Sequence[InstanceState], status: ObjectStatus) -> list[AbsResourceInstance]:
    """Return the instances whose current object has a status. Raises SurgeryError if one has no current object."""
    for instance in chosen:
        if instance.current is None:
            raise SurgeryError(
                f"{instance.addr} has only deposed objects: its replacement is incomplete; the next apply completes it",
                address=instance.addr,
            )
    return [i.addr for i in chosen if i.current is not None and i.current.status is status]


def _marked(snapshot: Snapshot, chosen: Sequence[InstanceState], status: ObjectStatus) -> Snapshot:
    wanted = {instance.addr for instance in chosen}

    def marked(resource: AbsResource, obj: ResourceInstanceObject) -> ResourceInstanceObject:
        change = obj.is_current and obj.status is not status and resource.instance(obj.key) in wanted
        return replace(obj, status=status) if change else obj

    return with_objects(snapshot, marked)
