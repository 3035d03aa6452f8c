"""Selects the part of an edited state in which an edit can introduce errors."""

from __future__ import annotations

from msgspec.structs import replace

from statefmt.model.resources import ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot


def edited_part(before: Snapshot, after: Snapshot) -> Snapshot | None:
    """Return `after` without the resources that are unchanged since `before`, or None to check the whole state.

    Every error rule looks at a single resource or at the state without its resources, except for one: a remote object
    with two addresses (ADR008). The edit can only introduce such an error if an object changed its identity or was
    copied. Then, or if an address appears twice, the result is None.
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
            # Removed, so that a copied object does not match twice.
            was = known.pop(obj.origin, None)
            if was is None or not _is_same_remote_object(*was, resource, obj):
                return None
    return replace(after, resources=tuple(edited))


def _is_same_remote_object(
    home: ResourceState, obj: ResourceInstanceObject, new_home: ResourceState, new: ResourceInstanceObject
) -> bool:
    """Whether two objects agree in everything that identifies the remote object, and in being current or deposed."""
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
