"""Moves instances from one state to another, with what belongs to them."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from statefmt.edit.changes.arriving import Moved, arrived, refuse_taken
from statefmt.edit.changes.dependencies import dropping, unique
from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.resources import by_address, with_objects, without_instances
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ConfigProviderConfig, ConfigResource
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot


class CrossingDependency(NamedTuple):
    """A dependency that was dropped, since its two ends are in different states by now.

    `dependant` is the instance that had it, at its new address; `needs` is the resource it depended on, at its old
    address, and `now` its present one. Where `is_leaving`, the resource went to the target and the instance stayed in
    the source; else the other way round. The consumer's configuration needs outputs of the other state for what it
    reads of the resource.
    """

    dependant: AbsResourceInstance
    needs: ConfigResource
    is_leaving: bool
    now: ConfigResource


class Transferral(NamedTuple):
    """The edits of both states, the dependencies that were dropped, and provider configurations new to the target."""

    source: Edit
    target: Edit
    crossing: tuple[CrossingDependency, ...]
    new_providers: tuple[ConfigProviderConfig, ...]


def transfer(
    source: Snapshot, target: Snapshot, moved: Moved, *, rebind: bool = False, keep_dependencies: bool = False
) -> Transferral:
    """Move instances, with all their objects, from `source` to `target`; `moved` maps old addresses to new ones.

    Deposed objects, marks, private data and identities go along. Dependencies between instances that move follow them;
    all others would cross from one state to the other, and are dropped; with `keep_dependencies`, they stay and name
    the old address. Instances join a resource of the target as in `mv`. Raises SurgeryError as `mv` does; a destination
    is taken if the target has the instance.
    """
    before, there = by_address(source), by_address(target)
    refuse_taken(there, moved, (), "the other state has this instance already")
    # What came from another file has no bytes in this one.
    leaving = {addr: _without_origin(before[addr]) for addr in {one.containing_resource() for one in moved}}
    after = arrived(leaving, there, moved, rebind=rebind, keeps_blocks=False)
    left = without_instances(source, moved.keys())
    came = frozenset(moved.values())
    arrival = replace(target, resources=tuple(after.values()))
    joined, inward = _following(arrival, moved, came, keep_dependencies=keep_dependencies)
    stayed = {resource.addr.config() for resource in left.resources if resource.objects}
    gone = () if keep_dependencies else {one.config() for one in moved} - stayed
    kept, dropped = dropping(left, gone)
    goals = {one.config(): other.config() for one, other in moved.items()} if dropped else {}
    outward = [CrossingDependency(addr, one, True, goals[one]) for addr, needs in dropped.items() for one in needs]
    providers = {resource.provider_config for resource in there.values()}
    new = {one.provider_config: None for one in leaving.values() if one.provider_config not in providers}
    return Transferral(Edit(kept), Edit(joined), (*outward, *inward), tuple(config for config in new if config))


def _without_origin(resource: ResourceState) -> ResourceState:
    return replace(resource, objects=tuple(replace(obj, origin=None) for obj in resource.objects), origin=())


def _following(
    snapshot: Snapshot, moved: Moved, came: frozenset[AbsResourceInstance], *, keep_dependencies: bool
) -> tuple[Snapshot, list[CrossingDependency]]:
    """Point the dependencies of instances that came at what came with them; drop and list the others, or keep them."""
    targets: dict[ConfigResource, dict[ConfigResource, None]] = {}
    for one, other in moved.items():
        targets.setdefault(one.config(), {})[other.config()] = None
    lost: dict[CrossingDependency, None] = {}

    def followed(resource: AbsResource, obj: ResourceInstanceObject) -> ResourceInstanceObject:
        if not (obj.dependencies or obj.depends_on):
            return obj
        addr = resource.instance(obj.key)
        if addr not in came:
            return obj
        if not keep_dependencies:
            needs = (*obj.dependencies, *(other.config() for other in obj.depends_on if other not in moved))
            lost.update((CrossingDependency(addr, one, False, one), None) for one in needs if one not in targets)
        new = [other for one in obj.dependencies for other in targets.get(one, [one] if keep_dependencies else ())]
        older = tuple(moved.get(one, one) for one in obj.depends_on if keep_dependencies or one in moved)
        return replace(obj, dependencies=unique(new, obj.dependencies), depends_on=older)

    return with_objects(snapshot, followed), list(lost)
