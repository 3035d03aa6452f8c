"""Moves told as people made them: of a whole module, of a whole resource, or of one instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from statefmt.addrs import AbsResource, AbsResourceInstance, ModuleInstance
from statefmt.comparison.model import Movable, Move
from statefmt.states import ResourceState

_Resources: TypeAlias = Mapping[AbsResource, ResourceState]
_Pairs: TypeAlias = Sequence[tuple[AbsResourceInstance, AbsResourceInstance]]


def whole_moves(before: _Resources, after: _Resources, moved: _Pairs) -> tuple[Move, ...]:
    """The fewest moves that say what happened to the instances that moved, in the order of their old addresses.

    A resource is told as a whole where all its instances went to one other resource, kept their keys, and that has no
    others; a module likewise with all its resources.
    """
    if not moved:
        return ()
    old, new = _filled(before), _filled(after)
    targets = {one.containing_resource(): other.containing_resource() for one, other in moved}
    kept = Counter(
        (one.containing_resource(), other.containing_resource()) for one, other in moved if one.key == other.key
    )
    resources = {
        one: other
        for one, other in targets.items()
        if one != other and kept[one, other] == _instances(before[one]) == _instances(after[other])
    }
    modules: dict[ModuleInstance, ModuleInstance] = {}
    for one, other in resources.items():
        if not any(module.contains(one.module) for module in modules):
            modules |= _whole_module(one, other, resources, old, new)
    counts: Counter[tuple[Movable, Movable]] = Counter()
    for source, target in moved:
        resource = source.containing_resource()
        module = next((module for module in modules if module.contains(source.module)), None)
        if module is not None:
            counts[module, modules[module]] += 1
        elif resource in resources:
            counts[resource, resources[resource]] += 1
        else:
            counts[source, target] += 1
    moves = (Move(one, other, count) for (one, other), count in counts.items())
    return tuple(sorted(moves, key=lambda move: str(move.old)))


def _whole_module(
    one: AbsResource,
    other: AbsResource,
    resources: Mapping[AbsResource, AbsResource],
    old: set[AbsResource],
    new: set[AbsResource],
) -> dict[ModuleInstance, ModuleInstance]:
    """The outermost module that moved with this resource and everything else in it; none, where none did."""
    if one.resource != other.resource:
        return {}
    for source, target in _modules_around(one.module, other.module):
        inside = {addr for addr in old if source.contains(addr.module)}
        goals = {
            AbsResource(ModuleInstance((*target.steps, *addr.module.steps[len(source.steps) :])), addr.resource): addr
            for addr in inside
        }
        if goals.keys() == {addr for addr in new if target.contains(addr.module)} and all(
            resources.get(addr) == goal for goal, addr in goals.items()
        ):
            return {source: target}
    return {}


def _modules_around(one: ModuleInstance, other: ModuleInstance) -> Iterable[tuple[ModuleInstance, ModuleInstance]]:
    """Modules that may have moved as a whole, outermost first: both paths without equal steps at their end."""
    common = 0
    while common < min(len(one.steps), len(other.steps)) - 1 and one.steps[-1 - common] == other.steps[-1 - common]:
        common += 1
    for left in range(common, -1, -1):
        source, target = one.steps[: len(one.steps) - left], other.steps[: len(other.steps) - left]
        if source and target and source != target:
            yield ModuleInstance(source), ModuleInstance(target)


def _filled(resources: _Resources) -> set[AbsResource]:
    return {addr for addr, resource in resources.items() if resource.objects}


def _instances(resource: ResourceState) -> int:
    return len({obj.key for obj in resource.objects})
