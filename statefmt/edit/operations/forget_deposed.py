"""`forget-deposed`: remove deposed objects, and instances that have no other object."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.only import only
from statefmt.edit.changes.whole_resources import named
from statefmt.edit.operations.rm import rm
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import InstanceState, ResourceState, Snapshot


def forget_deposed(snapshot: Snapshot, chosen: Sequence[InstanceState], key: str | None = None) -> Edit:
    """Remove the deposed objects of instances, all of them or those with a deposed key.

    An instance without other objects is removed as by `rm`. Raises SurgeryError if no deposed object is found.
    """
    gone = {i.addr: {obj.deposed for obj in i.deposed if key in (None, obj.deposed)} for i in chosen}
    if not any(gone.values()):
        raise SurgeryError(_none(chosen, key), address=only(instance.addr for instance in chosen))
    edit = rm(snapshot, [i.addr for i in chosen if {obj.deposed for obj in i.objects} == gone[i.addr]])
    after = tuple(_without(resource, gone) for resource in edit.snapshot.resources)
    return dataclasses.replace(edit, snapshot=replace(edit.snapshot, resources=after))


def _without(resource: ResourceState, gone: Mapping[AbsResourceInstance, Collection[str]]) -> ResourceState:
    left = tuple(o for o in resource.objects if o.deposed not in gone.get(resource.addr.instance(o.key), ()))
    return resource if len(left) == len(resource.objects) else replace(resource, objects=left)


def _none(chosen: Sequence[InstanceState], key: str | None) -> str:
    if key is None:
        return f"no selected instance has a deposed object:{named([str(instance.addr) for instance in chosen])}"
    known = [f"{instance.addr}: {obj.deposed}" for instance in chosen for obj in instance.deposed]
    return f"no selected instance has the deposed object {key!r}; there are:{named(known or ['none'])}"
