"""Summarizes moves as people made them: of a whole module, a whole resource, or one instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from statefmt.analysis.diff._model import Movable, Move
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ModuleInstance

# The number of instances of each resource that has some.
InstanceCounts: TypeAlias = Mapping[AbsResource, int]
_Pairs: TypeAlias = Sequence[tuple[AbsResourceInstance, AbsResourceInstance]]


def whole_moves(
    before: InstanceCounts,
    after: InstanceCounts,
    moved: _Pairs,
    allowed: Callable[[Movable, Movable], bool] = lambda _one, _other: True,
) -> tuple[Move, ...]:
    """Return the fewest moves that describe where instances moved, in the order of their old addresses.

    A resource moved as a whole if all its instances kept their keys and went to one resource that has no others; a
    module likewise with all its resources. `allowed` says whether a resource or a module may move as a whole.
    """
    if not moved:
        return ()
    targets = {one.containing_resource(): other.containing_resource() for one, other in moved}
    kept = Counter(
        (one.containing_resource(), other.containing_resource()) for one, other in moved if one.key == other.key
    )
    resources = {one: other for one, other in targets.items() if kept[one, other] == before[one] == after[other]}
    modules = _whole_modules(before, after, resources, allowed)
    resources = {one: other for one, other in resources.items() if allowed(one, other)}
    counts: Counter[tuple[Movable, Movable]] = Counter()
    for source, target in moved:
        resource = source.containing_resource()
        module = next((module for module in source.module.on_the_way if module in modules), None)
        if module is not None:
            counts[module, modules[module]] += 1
        elif resource in resources:
            counts[resource, resources[resource]] += 1
        else:
            counts[source, target] += 1
    moves = (Move(one, other, count) for (one, other), count in counts.items())
    return tuple(sorted(moves, key=lambda move: str(move.old)))


def _whole_modules(
    before: InstanceCounts,
    after: InstanceCounts,
    resources: Mapping[AbsResource, AbsResource],
    allowed: Callable[[Movable, Movable], bool],
) -> dict[ModuleInstance, ModuleInstance]:
    """Return the outermost modules that moved with all their contents, to a place with no other contents."""
    along = Counter(
        step
        for one, other in resources.items()
        if one.resource == other.resource
        for step in _modules_around(one.module, other.module)
    )
    if not along:
        return {}
    old, new = _in_modules(before), _in_modules(after)
    whole = {
        source: target
        for (source, target), count in along.items()
        if count == old[source] == new[target] and allowed(source, target)
    }
    return {
        source: target
        for source, target in whole.items()
        if not any(outer in whole for outer in source.on_the_way[:-1])
    }


def _in_modules(resources: InstanceCounts) -> Counter[ModuleInstance]:
    """Count the resources with instances in each module, including nested modules."""
    found: Counter[ModuleInstance] = Counter()
    for module, count in Counter(addr.module for addr in resources).items():
        for around in module.on_the_way:
            found[around] += count
    return found


def _modules_around(one: ModuleInstance, other: ModuleInstance) -> Iterable[tuple[ModuleInstance, ModuleInstance]]:
    """Yield modules that may have moved as a whole, outermost first: both paths without equal trailing steps."""
    common = 0
    while common < min(len(one.steps), len(other.steps)) - 1 and one.steps[-1 - common] == other.steps[-1 - common]:
        common += 1
    sources, targets = (ModuleInstance(), *one.on_the_way), (ModuleInstance(), *other.on_the_way)
    for source, target in zip(sources[-common - 1 :], targets[-common - 1 :], strict=True):
        if source and target:
            yield source, target
