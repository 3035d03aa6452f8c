"""Puts objects that left their resource into another one, in the same state or in another state.

Source of the conditions: OpenTofu `internal/command/state_mv.go`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Final, TypeAlias

from msgspec.structs import replace

from statefmt.edit.changes.ways import REBIND_COMMAND
from statefmt.edit.changes.whole_resources import named
from statefmt.model.addrs import NO_KEY, AbsResource, AbsResourceInstance, InstanceKey
from statefmt.model.errors import MessagePart, SurgeryError, Wording
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState

REBIND: Final = Wording("--rebind", "rebind=True")
_CONFIG: Final = Wording("--config DIR", "config=")

# Old addresses of instances, and the new ones.
Moved: TypeAlias = Mapping[AbsResourceInstance, AbsResourceInstance]
Resources: TypeAlias = Mapping[AbsResource, ResourceState]


class OtherBindingError(SurgeryError):
    """An instance cannot join a resource that is bound to another provider configuration.

    `reason` is the message without the way out. `moved` has all instances of the refused operation, `destination` is
    the new address of the one in question.
    """

    def __init__(
        self, reason: str, way_out: Sequence[MessagePart], *, moved: Moved, destination: AbsResourceInstance
    ) -> None:
        hint = ("; ", _CONFIG, " shows whether that is right") if REBIND in way_out else ()
        super().__init__(reason, *way_out, *hint, address=destination)
        self.reason = reason
        self.way_out = way_out
        self.moved = moved
        self.destination = destination


def arrived(
    before: Resources, home: Resources, moved: Moved, *, rebind: bool = False, keeps_blocks: bool = True
) -> dict[AbsResource, ResourceState]:
    """Return the resources of `home` with the objects of instances that are in `before`, at their new addresses.

    `home` has the resources that stay, of the same state or of another one. A resource is renamed if all its instances
    go to one that does not exist yet, and `keeps_blocks` of the file; otherwise instances join the resource at the
    destination. With `rebind`, they then take over its provider configuration. Raises SurgeryError if that
    configuration differs without `rebind`.
    """
    after = dict(home)
    renamed = _renamed(after, moved) if keeps_blocks else {}
    leaving: dict[AbsResource, dict[InstanceKey, list[ResourceInstanceObject]]]
    leaving = {one.containing_resource(): {} for one in moved}
    for addr, by_key in leaving.items():
        for obj in before[addr].objects:
            by_key.setdefault(obj.key, []).append(obj)
    gathered: dict[AbsResource, list[ResourceInstanceObject]] = {}
    bound: dict[AbsResource, set[InstanceKey]] = {}
    for one, other in moved.items():
        source, target = before[one.containing_resource()], other.containing_resource()
        there = after.get(target)
        if there is None:
            origin = source.origin if renamed.get(source.addr) == target else ()
            there = after[target] = replace(source, addr=target, objects=(), origin=origin)
        if target not in gathered:
            gathered[target] = list(there.objects)
            bound[target] = {obj.provider_key for obj in there.objects}
        objects = leaving[source.addr].get(one.key, ())
        if objects and not rebind and there.provider_config != source.provider_config:
            raise _refusal(moved, other, source, there)
        coming = [_arriving(obj, other, source, there, bound[target]) for obj in objects]
        gathered[target] += coming
        bound[target].update(obj.provider_key for obj in coming)
    for target, all_there in gathered.items():
        after[target] = replace(after[target], objects=tuple(all_there))
    return after


def refuse_taken(
    there: Resources,
    moved: Moved,
    leaving: Collection[AbsResourceInstance],
    exists: str = "the instance already exists",
    any_type: bool = False,
    way_out: MessagePart = "",
) -> None:
    """Raise SurgeryError if a destination is taken, or of another type or mode.

    `there` are the resources at the destination, and `leaving` the instances that leave it. `exists` is what the
    message says about one that is taken. With `any_type`, the types may differ; `way_out` ends the message if they must
    not.
    """
    taken: dict[AbsResourceInstance, AbsResourceInstance] = {}
    collisions: list[tuple[AbsResourceInstance, str]] = []

    @cache
    def keys_of(addr: AbsResource) -> frozenset[InstanceKey]:
        return frozenset(obj.key for obj in there[addr].objects) if addr in there else frozenset()

    for one, other in moved.items():
        source, target = one.resource.resource, other.resource.resource
        if source.mode is not target.mode:
            raise SurgeryError(
                f"{one} cannot become {other}: a {source.mode.value} resource cannot change its mode", address=one
            )
        if source.type != target.type and not any_type:
            raise SurgeryError(f"{one} cannot become {other}: the resource types differ", way_out, address=one)
        stays = other.key in keys_of(other.containing_resource()) and other not in leaving
        if stays or other in taken:
            what = exists if stays else f"{taken[other]} would move there, too"
            collisions.append((one, f"{one} cannot become {other}: {what}"))
        taken.setdefault(other, one)
    if len(collisions) == 1:
        raise SurgeryError(collisions[0][1], address=collisions[0][0])
    if collisions:
        raise SurgeryError(f"{len(collisions)} destinations are taken:{named([text for _, text in collisions])}")


def _renamed(left: Mapping[AbsResource, ResourceState], moved: Moved) -> dict[AbsResource, AbsResource]:
    """Return the resources that moved completely to one other resource; they keep their block in the file."""
    targets: dict[AbsResource, set[AbsResource]] = {}
    for one, other in moved.items():
        targets.setdefault(one.containing_resource(), set()).add(other.containing_resource())
    return {source: min(where, key=str) for source, where in targets.items() if len(where) == 1 and source not in left}


def _refusal(moved: Moved, addr: AbsResourceInstance, source: ResourceState, home: ResourceState) -> OtherBindingError:
    there = {obj.provider_key for obj in home.objects}
    # With keys, it is the configuration that says which instance is right, and the first one there may not be.
    way_out: tuple[MessagePart, ...] = (
        (REBIND, " binds the instance to the former")
        if there <= {NO_KEY}
        else ("Bind it to the instance of the former that the configuration gives it, with ", REBIND_COMMAND, ", first")
    )
    return OtherBindingError(
        f"{addr}: its resource is bound to {home.provider_config}, but the moved instance to "
        f"{source.provider_config}; a resource has only one provider configuration. ",
        way_out,
        moved=moved,
        destination=addr,
    )


def _arriving(
    obj: ResourceInstanceObject,
    addr: AbsResourceInstance,
    source: ResourceState,
    home: ResourceState,
    bound: set[InstanceKey],
) -> ResourceInstanceObject:
    """Return an object for its new resource, in which `bound` are the provider keys."""
    if home.provider_config == source.provider_config:
        return replace(obj, key=addr.key)
    return replace(obj, key=addr.key, provider_key=_only_key(bound, home, addr))


def _only_key(bound: set[InstanceKey], home: ResourceState, addr: AbsResourceInstance) -> InstanceKey:
    if len(bound) == 1:
        return next(iter(bound))
    raise SurgeryError(
        f"{addr}: the instances of its resource are bound to several instances of {home.provider_config}, so ",
        REBIND,
        " cannot choose one; use ",
        REBIND_COMMAND,
        " first",
        address=addr,
    )
