"""Selects the part of an edited state in which an edit can introduce errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from msgspec.structs import replace

from statefmt.model.codes import Code
from statefmt.model.resources import ResourceInstanceObject, ResourceState, not_among
from statefmt.model.snapshot import Snapshot

# Rules that compare resources with each other. All others look at a single resource, or at the state without its
# resources.
COMPARING: Final = frozenset(
    {Code.DUPLICATE_REMOTE_OBJECT, Code.DEPENDENCY_DANGLING, Code.DEPENDENCY_CYCLE, Code.PROVIDER_HOSTS_MIXED}
)


class EditedPart(NamedTuple):
    """A state before and after an edit, without the resources that did not change.

    `alone` means that no error can involve any other resource.
    """

    before: Snapshot
    after: Snapshot
    alone: bool


def edited_part(before: Snapshot, after: Snapshot) -> EditedPart:
    """Return the part of a state that an edit changed; all of it if an address appears twice.

    Of the rules that compare resources, only one is an error: a remote object with two addresses (ADR008). The edit can
    only introduce it if an object changed its identity or was copied.
    """
    edited = not_among(after.resources, before.resources)
    addrs = {resource.addr for resource in edited}
    if sum(resource.addr in addrs for resource in after.resources) > len(addrs):
        return EditedPart(before, after, False)
    were = not_among(before.resources, after.resources)
    alone = _keep_identities(were, edited)
    return EditedPart(replace(before, resources=tuple(were)), replace(after, resources=tuple(edited)), alone)


def _keep_identities(before: Iterable[ResourceState], after: Iterable[ResourceState]) -> bool:
    """Return whether each object in `after` was in `before` once, as the same remote object."""
    known = {obj.origin: (resource, obj) for resource in before for obj in resource.objects}
    for resource in after:
        for obj in resource.objects:
            # Removed, so that a copied object does not match twice.
            was = known.pop(obj.origin, None)
            if was is None or not _is_same_remote_object(*was, resource, obj):
                return False
    return True


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
