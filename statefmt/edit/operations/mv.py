"""`mv`: move instances to other addresses and update the dependencies on them.

Source of the conditions: OpenTofu `internal/command/state_mv.go`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, TypeAlias

from msgspec.structs import replace

from statefmt.edit.changes.dependencies import pointing
from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.resources import by_address, without_instances
from statefmt.edit.changes.ways import REBIND_COMMAND
from statefmt.model.addrs import AbsResource, AbsResourceInstance, InstanceKey
from statefmt.model.errors import SurgeryError
from statefmt.model.resources import ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot
from statefmt.model.wording import Wording

_REBIND: Final = Wording("--rebind", "rebind=True")

Moved: TypeAlias = Mapping[AbsResourceInstance, AbsResourceInstance]


def mv(snapshot: Snapshot, moved: Moved, *, rebind: bool = False) -> Edit:
    """Move instances, with all their objects; `moved` maps old addresses to new ones.

    A resource is renamed if all its instances go to one that does not exist yet; otherwise instances join the
    resource at the destination. With `rebind`, they then take over its provider configuration. Raises SurgeryError if
    that configuration differs without `rebind`, if types or modes differ, or if a destination is taken.
    """
    moved = {one: other for one, other in moved.items() if one != other}
    before = by_address(snapshot)
    _check(before, moved)
    left = without_instances(snapshot, moved.keys())
    after = by_address(left)
    renamed = _renamed(after, moved)
    leaving: dict[AbsResource, dict[InstanceKey, list[ResourceInstanceObject]]]
    leaving = {one.containing_resource(): {} for one in moved}
    for addr, by_key in leaving.items():
        for obj in before[addr].objects:
            by_key.setdefault(obj.key, []).append(obj)
    arrived: dict[AbsResource, list[ResourceInstanceObject]] = {}
    bound: dict[AbsResource, set[InstanceKey]] = {}
    for one, other in moved.items():
        source, target = before[one.containing_resource()], other.containing_resource()
        home = after.get(target)
        if home is None:
            origin = source.origin if renamed.get(source.addr) == target else ()
            home = after[target] = replace(source, addr=target, objects=(), origin=origin)
        if target not in arrived:
            arrived[target] = list(home.objects)
            bound[target] = {obj.provider_key for obj in home.objects}
        objects = leaving[source.addr].get(one.key, ())
        coming = [_arriving(obj, other, source, home, bound[target] if rebind else None) for obj in objects]
        arrived[target] += coming
        bound[target].update(obj.provider_key for obj in coming)
    for target, all_there in arrived.items():
        after[target] = replace(after[target], objects=tuple(all_there))
    return Edit(pointing(replace(left, resources=tuple(after.values())), moved), moved)


def _check(before: Mapping[AbsResource, ResourceState], moved: Moved) -> None:
    taken: dict[AbsResourceInstance, AbsResourceInstance] = {}

    @cache
    def keys_of(addr: AbsResource) -> frozenset[InstanceKey]:
        return frozenset(obj.key for obj in before[addr].objects) if addr in before else frozenset()

    for one, other in moved.items():
        source, target = one.resource.resource, other.resource.resource
        if source.mode is not target.mode:
            raise SurgeryError(
                f"{one} cannot become {other}: a {source.mode.value} resource cannot change its mode", address=one
            )
        if source.type != target.type:
            raise SurgeryError(f"{one} cannot become {other}: the resource types differ", address=one)
        stays = other.key in keys_of(other.containing_resource()) and other not in moved
        if stays or other in taken:
            what = "the instance already exists" if stays else f"{taken[other]} would move there, too"
            raise SurgeryError(f"{one} cannot become {other}: {what}", address=one)
        taken[other] = one


def _renamed(left: Mapping[AbsResource, ResourceState], moved: Moved) -> dict[AbsResource, AbsResource]:
    """Return the resources that moved completely to one other resource; they keep their block in the file."""
    targets: dict[AbsResource, set[AbsResource]] = {}
    for one, other in moved.items():
        targets.setdefault(one.containing_resource(), set()).add(other.containing_resource())
    return {source: min(where, key=str) for source, where in targets.items() if len(where) == 1 and source not in left}


def _arriving(
    obj: ResourceInstanceObject,
    addr: AbsResourceInstance,
    source: ResourceState,
    home: ResourceState,
    bound: set[InstanceKey] | None,
) -> ResourceInstanceObject:
    """Return an object for its new resource; `bound` are the provider keys there, None if it must not be rebound."""
    if home.provider_config == source.provider_config:
        return replace(obj, key=addr.key)
    if bound is None:
        raise SurgeryError(
            f"{addr}: its resource is bound to {home.provider_config}, but the moved instance to "
            f"{source.provider_config}; a resource has only one provider configuration. ",
            _REBIND,
            " binds the instance to the former",
            address=addr,
        )
    return replace(obj, key=addr.key, provider_key=_only_key(bound, home, addr))


def _only_key(bound: set[InstanceKey], home: ResourceState, addr: AbsResourceInstance) -> InstanceKey:
    if len(bound) == 1:
        return next(iter(bound))
    raise SurgeryError(
        f"{addr}: the instances of its resource are bound to several instances of {home.provider_config}, so ",
        _REBIND,
        " cannot choose one; use ",
        REBIND_COMMAND,
        " first",
        address=addr,
    )
