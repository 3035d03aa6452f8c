"""The part of an edited state that can have an error which the state did not have before."""

from __future__ import annotations

from msgspec.structs import replace

from statefmt.model.resources import ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot


def edited_part(before: Snapshot, after: Snapshot) -> Snapshot | None:
    """The snapshot `after` an edit without the resources that stand in `before` just so.

    An error is about one resource, or about the state without its resources, but for one: a remote object that stands
    under two addresses. That can only be new where an object is another one than before, or stands twice. None is given
    then, and where an address stands twice: the whole state is to be looked at.
    """
    old, new = {id(resource) for resource in before.resources}, {id(resource) for resource in after.resources}
    edited = [resource for resource in after.resources if id(resource) not in old]
    addrs = {resource.addr for resource in edited}
    if len(addrs) < len(edited) or any(resource.addr in addrs for resource in after.resources if id(resource) in old):
        return None
    known = {
        obj.origin: (resource, obj)
        for resource in before.resources
        if id(resource) not in new
        for obj in resource.objects
    }
    for resource in edited:
        for obj in resource.objects:
            # Taken out, so that no object counts for two.
            was = known.pop(obj.origin, None)
            if was is None or not _is_same_remote_object(*was, resource, obj):
                return None
    return replace(after, resources=tuple(edited))


def _is_same_remote_object(
    home: ResourceState, obj: ResourceInstanceObject, new_home: ResourceState, new: ResourceInstanceObject
) -> bool:
    """Whether two objects agree in all that tells which remote object they stand for, and whether they are current."""
    one, other = home.addr.resource, new_home.addr.resource
    return (
        one.mode is other.mode
        and one.type == other.type
        and home.provider_config == new_home.provider_config
        and obj.provider_key == new.provider_key
        and obj.deposed == new.deposed
        and obj.attributes == new.attributes
        and obj.attributes_flat == new.attributes_flat
        and obj.identity == new.identity
    )
