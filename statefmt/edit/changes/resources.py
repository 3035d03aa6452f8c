"""Replaces objects and instances in a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Collection
from operator import is_

from msgspec.structs import replace

from statefmt.model.addrs import AbsResource, AbsResourceInstance
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot


def by_address(snapshot: Snapshot) -> dict[AbsResource, ResourceState]:
    """Return the resources of a snapshot by address, in order."""
    return {resource.addr: resource for resource in snapshot.resources}


def with_objects(
    snapshot: Snapshot, change: Callable[[AbsResource, ResourceInstanceObject], ResourceInstanceObject]
) -> Snapshot:
    """Replace every object with the result of `change`; a resource whose objects are all the same stays the same.

    `change` receives the address of the resource because building that of the instance takes time.
    """

    def changed(resource: ResourceState) -> ResourceState:
        objects = tuple([change(resource.addr, obj) for obj in resource.objects])
        return resource if all(map(is_, objects, resource.objects)) else replace(resource, objects=objects)

    return replace(snapshot, resources=tuple(map(changed, snapshot.resources)))


def without_instances(snapshot: Snapshot, gone: Collection[AbsResourceInstance]) -> Snapshot:
    """Remove instances, and the resources that have none left."""
    gone = frozenset(gone)
    touched = {addr.containing_resource() for addr in gone}
    left = (_without(resource, gone) if resource.addr in touched else resource for resource in snapshot.resources)
    kept = (resource for resource in left if resource.objects or resource.addr not in touched)
    return replace(snapshot, resources=tuple(kept))


def _without(resource: ResourceState, gone: Collection[AbsResourceInstance]) -> ResourceState:
    objects = (obj for obj in resource.objects if resource.addr.instance(obj.key) not in gone)
    return replace(resource, objects=tuple(objects))
