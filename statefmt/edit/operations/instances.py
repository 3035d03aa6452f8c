"""`rm` and `forget-deposed`: remove instances or deposed objects from the state; the remote objects stay.

`taint` and `untaint`: mark objects to be replaced by the next plan.
Source of the conditions: OpenTofu `internal/command/taint.go`, `untaint.go`, `arguments/taint.go`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from statefmt.analysis.selection import Criteria
from statefmt.edit.changes import (
    Edit,
    Note,
    Selection,
    choose,
    dropping,
    named,
    only,
    selection_of,
    with_objects,
    without_instances,
)
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ResourceMode
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import InstanceState, ObjectStatus, ResourceInstanceObject, ResourceState, Snapshot


def remove(snapshot: Snapshot, chosen: Selection, *, keep_dangling: bool = False, note: Note = lambda _: None) -> Edit:
    """Forget the selected instances, and resources without instances that a selector names by their address.

    Dependencies on a resource are dropped if no instance is left, unless `keep_dangling`. Raises SelectionError.
    """
    chosen = selection_of(chosen)
    if isinstance(chosen, list):
        return rm(snapshot, [instance.addr for instance in chosen], keep_dangling=keep_dangling)
    # A resource without instances meets no condition on instances.
    named = chosen.selectors if replace(chosen, selectors=()) == Criteria() else ()
    empty = [one.addr for one in snapshot.resources if not one.objects and str(one.addr) in named]
    others = tuple(selector for selector in chosen.selectors if selector not in set(map(str, empty)))
    found = choose(snapshot, replace(chosen, selectors=others), note) if others or not empty else []
    return rm(snapshot, [instance.addr for instance in found], empty, keep_dangling=keep_dangling)


def rm(
    snapshot: Snapshot,
    gone: Collection[AbsResourceInstance],
    empty: Collection[AbsResource] = (),
    *,
    keep_dangling: bool = False,
) -> Edit:
    """Remove instances with all their objects, resources without remaining instances, and `empty` resources.

    Dependencies on removed resources are dropped, unless `keep_dangling`. A note lists the changed instances.
    """
    left = without_instances(snapshot, gone)
    empty = frozenset(empty)
    if empty:
        left = replace(left, resources=tuple(one for one in left.resources if one.objects or one.addr not in empty))
    kept = {resource.addr.config() for resource in left.resources if resource.objects}
    lost = ({addr.config() for addr in gone} | {addr.config() for addr in empty}) - kept
    dropped, dependants = dropping(left, lost)
    if not dependants:
        return Edit(left)
    what = "still depend on removed resources" if keep_dangling else "no longer depend on removed resources"
    note = f"these instances {what}:" + "".join(f"\n  {addr}" for addr in dependants)
    return Edit(left if keep_dangling else dropped, notes=(note,))


def forget_deposed(
    snapshot: Snapshot, chosen: Selection, key: str | None = None, *, note: Note = lambda _: None
) -> Edit:
    """Forget deposed objects of the selected instances: all, or only the deposed key `key`.

    An instance without other objects is forgotten. Raises SelectionError, and SurgeryError if there are none.
    """
    found = choose(snapshot, chosen, note)
    gone = {i.addr: {obj.deposed for obj in i.deposed if key in (None, obj.deposed)} for i in found}
    if not any(gone.values()):
        problem = f"no selected instance has a deposed object:{named([str(instance.addr) for instance in found])}"
        if key is not None:
            known = [f"{instance.addr}: {obj.deposed}" for instance in found for obj in instance.deposed]
            problem = f"no selected instance has the deposed object {key!r}; there are:{named(known or ['none'])}"
        raise SurgeryError(problem, address=only(instance.addr for instance in found))
    edit = rm(snapshot, [i.addr for i in found if {obj.deposed for obj in i.objects} == gone[i.addr]])
    after = tuple(_without(resource, gone) for resource in edit.snapshot.resources)
    return dataclasses.replace(edit, snapshot=replace(edit.snapshot, resources=after))


def _without(resource: ResourceState, gone: Mapping[AbsResourceInstance, Collection[str]]) -> ResourceState:
    left = tuple(o for o in resource.objects if o.deposed not in gone.get(resource.addr.instance(o.key), ()))
    return resource if len(left) == len(resource.objects) else replace(resource, objects=left)


def taint(snapshot: Snapshot, chosen: Selection, *, note: Note = lambda _: None) -> Edit:
    """Mark the selected instances as tainted, so that the next plan replaces them; a note lists instances that were
    already tainted.

    Raises SelectionError, and SurgeryError for an instance that is not managed or has no current object.
    """
    found = choose(snapshot, chosen, note)
    for instance in found:
        if instance.resource.addr.resource.mode is not ResourceMode.MANAGED:
            raise SurgeryError(
                f"{instance.addr} cannot be tainted: it is not a managed resource", address=instance.addr
            )
    tainted = _with_status(found, ObjectStatus.TAINTED)
    already = f"already tainted:{named([str(addr) for addr in tainted])}"
    return Edit(_marked(snapshot, found, ObjectStatus.TAINTED), notes=(already,) if tainted else ())


def untaint(snapshot: Snapshot, chosen: Selection, *, note: Note = lambda _: None) -> Edit:
    """Remove the tainted mark from the selected instances, so that the next plan keeps them.

    Raises SelectionError, and SurgeryError for an instance that is not tainted or has no current object.
    """
    found = choose(snapshot, chosen, note)
    ready = _with_status(found, ObjectStatus.READY)
    if ready:
        raise SurgeryError(f"not tainted:{named([str(addr) for addr in ready])}", address=only(ready))
    return Edit(_marked(snapshot, found, ObjectStatus.READY))


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
