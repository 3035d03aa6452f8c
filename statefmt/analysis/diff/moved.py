"""Finds instances that moved: the same remote object at two addresses. Joins moves of whole resources and modules.

Source: OpenTofu `internal/addrs/move_endpoint_module.go` (addresses without a key stand for the whole module call).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Raw

from statefmt.analysis.diff.model import Movable, Move
from statefmt.analysis.object_id import object_id
from statefmt.golang import compact, escape_html
from statefmt.model.addrs import NO_KEY, AbsResource, AbsResourceInstance, ModuleInstance
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject
from statefmt.redaction.object_value import id_scope

Pair: TypeAlias = tuple[InstanceState | None, InstanceState | None]
_Mark: TypeAlias = Callable[[ResourceInstanceObject], object]
_Test: TypeAlias = Callable[[ResourceInstanceObject, ResourceInstanceObject], bool]


def match(gone: Sequence[InstanceState], come: Sequence[InstanceState]) -> list[Pair]:
    """Pair the instances that exist only on the old side with those only on the new side.

    Two instances are paired if they have the same remote object, and no third instance of their type and provider
    name has the same object. Objects are compared by identity, then by `id`, then by attributes. If several have the
    same `id`, they are paired by `id` and scope, or by `id` and attributes; nothing is guessed. Remaining instances
    at the same address are paired last.
    """
    same = same_objects(gone, come)
    left = {other.addr: other for other in _without(come, [other for _, other in same])}
    alone = [(one, left.pop(one.addr, None)) for one in _without(gone, [one for one, _ in same])]
    return [*same, *alone, *((None, other) for other in left.values())]


def same_objects(
    gone: Sequence[InstanceState], come: Sequence[InstanceState]
) -> list[tuple[InstanceState, InstanceState]]:
    """Pair the instances that certainly have the same remote object; each side may have several states."""
    pairs: list[tuple[InstanceState, InstanceState]] = []
    for mark, test in _MARKS:
        found = [(one, other) for one, other in _unique(gone, come, mark) if test(_object(one), _object(other))]
        pairs += found
        gone = _without(gone, [one for one, _ in found])
        come = _without(come, [other for _, other in found])
    return pairs


def may_be_replaced(one: InstanceState, other: InstanceState) -> bool:
    """Return whether an address has a different remote object than before, so that either may now be elsewhere."""
    mine, theirs = one.current, other.current
    if mine is None or theirs is None or mine.attributes == theirs.attributes:
        return False
    before, now = object_id(mine), object_id(theirs)
    if not before or not now or before != now:
        return bool(before and now)
    return _attributes(mine) != _attributes(theirs) and not _one_scope(mine, theirs)


def object_mark(instance: InstanceState) -> object:
    """Return a key for the remote object of an instance: its address, if nothing else identifies it."""
    obj = _object(instance)
    found = next((value for mark in (_identity, _id_and_scope, _attributes) if (value := mark(obj)) is not None), None)
    return _kind(instance), instance.addr if found is None else found


def _unique(
    old: Sequence[InstanceState], new: Sequence[InstanceState], mark: _Mark
) -> list[tuple[InstanceState, InstanceState]]:
    """Return the pairs with equal marks, if each is the only instance of its type on its side with this mark."""
    before, after = _marked(old, mark), _marked(new, mark)
    found = ((ones, after.get(key, [])) for key, ones in before.items())
    return [(ones[0], others[0]) for ones, others in found if len(ones) == 1 and len(others) == 1]


def _marked(found: Sequence[InstanceState], mark: _Mark) -> dict[object, list[InstanceState]]:
    marked: dict[object, list[InstanceState]] = {}
    for instance in found:
        value = mark(_object(instance))
        if value is not None:
            marked.setdefault((_kind(instance), value), []).append(instance)
    return marked


def _kind(instance: InstanceState) -> object:
    resource, config = instance.resource.addr.resource, instance.resource.provider_config
    return resource.mode, resource.type, None if config is None else config.provider.type


def _object(instance: InstanceState) -> ResourceInstanceObject:
    """Return the object that identifies an instance."""
    return instance.current or instance.objects[0]


def _without(found: Sequence[InstanceState], paired: Sequence[InstanceState]) -> list[InstanceState]:
    known = set(map(id, paired))
    return [instance for instance in found if id(instance) not in known]


def _identity(obj: ResourceInstanceObject) -> bytes | None:
    return None if obj.identity is None else _text(obj.identity)


def _attributes(obj: ResourceInstanceObject) -> object:
    if obj.attributes is None:
        return tuple(sorted(obj.attributes_flat.items())) if obj.attributes_flat else None
    text = _text(obj.attributes)
    return None if text in (b"{}", b"null") else text


def _id_and_scope(obj: ResourceInstanceObject) -> object:
    name = object_id(obj)
    return (name, _scope(obj)) if name else None


def _id_and_attributes(obj: ResourceInstanceObject) -> object:
    name = object_id(obj)
    return (name, _attributes(obj)) if name else None


def _scope(obj: ResourceInstanceObject) -> tuple[bytes, ...]:
    return id_scope(obj.attributes, obj.attributes_flat)


def _one_scope(one: ResourceInstanceObject, other: ResourceInstanceObject) -> bool:
    """Return whether the scopes agree in all common attributes; later provider releases may add some."""
    return all(
        mine == theirs or not mine or not theirs for mine, theirs in zip(_scope(one), _scope(other), strict=True)
    )


def _always(one: ResourceInstanceObject, other: ResourceInstanceObject) -> bool:
    return True


def _text(raw: Raw) -> bytes:
    return escape_html(compact(bytes(raw)))


# The keys of a remote object, most reliable first, each with a test that pairs must also pass.
_MARKS: tuple[tuple[_Mark, _Test], ...] = (
    (_identity, _always),
    (lambda obj: object_id(obj) or None, _one_scope),
    (_id_and_scope, _always),
    (_id_and_attributes, _always),
    (_attributes, _always),
)


# The number of instances of each resource with instances.
_InstanceCounts: TypeAlias = Mapping[AbsResource, int]
_Pairs: TypeAlias = Sequence[tuple[AbsResourceInstance, AbsResourceInstance]]


def whole_moves(
    before: _InstanceCounts,
    after: _InstanceCounts,
    moved: _Pairs,
    allowed: Callable[[Movable, Movable], bool] = lambda _one, _other: True,
) -> tuple[Move, ...]:
    """Return the fewest moves that describe the moved instances, in the order of their old addresses.

    A resource moved as a whole if all its instances kept their keys and moved to one resource without other
    instances; likewise a module with all its resources. `allowed` returns whether a resource or a module may move as
    a whole.
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
    before: _InstanceCounts,
    after: _InstanceCounts,
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


def _in_modules(resources: _InstanceCounts) -> Counter[ModuleInstance]:
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


def with_whole_calls(
    found: Sequence[Move],
    removed: Iterable[ModuleInstance],
    staying: Iterable[ModuleInstance],
    allowed: Callable[[Movable, Movable], bool] = lambda _one, _other: True,
) -> Iterator[Move]:
    """Yield the moves, with one move for all instances of a module call.

    Every instance has to keep its key and move to the same call, and nothing else may stay in the old call, leave
    either call or move into the new one. `removed` are the modules of instances that exist only in the old state,
    `staying` all modules of the new state. `allowed` returns whether a call may move as a whole.
    """
    calls: dict[ModuleInstance, list[Move]] = {}
    for move in found:
        match move.old, move.new:
            # An instance of a module call that keeps its key.
            case ModuleInstance() as old, ModuleInstance() as new if old.steps[-1].key == new.steps[-1].key != NO_KEY:
                calls.setdefault(call_of(old), []).append(move)
    if not calls:
        yield from found
        return
    leaving = _counted(move.old for move in found)
    entering = _counted(move.new for move in found)
    gone = set(_counted(removed))
    left = set(_counted(set(staying)))
    whole: dict[Move, Move | None] = {}
    for call, moves in calls.items():
        targets = {call_of(move.new) for move in moves if isinstance(move.new, ModuleInstance)}
        target = next(iter(targets))
        if (
            len(targets) == 1
            and leaving[call] == entering[target] == len(moves)
            and target not in leaving
            and not gone & {call, target}
            and call not in left
            and allowed(call, target)
        ):
            whole |= dict.fromkeys(moves)
            whole[moves[0]] = Move(call, target, sum(move.count for move in moves))
    for move in found:
        if (joined := whole.get(move, move)) is not None:
            yield joined


def call_of(module: ModuleInstance) -> ModuleInstance:
    """Return the call of a module instance: its address without its own key."""
    return module.parent().child(module.steps[-1].name)


def _counted(places: Iterable[Movable]) -> dict[ModuleInstance, int]:
    """Return the number of places in each module call, at any depth."""
    counts: dict[ModuleInstance, int] = {}
    for place in places:
        modules: Sequence[ModuleInstance] = (place if isinstance(place, ModuleInstance) else place.module).on_the_way
        for module in modules:
            counts[call_of(module)] = counts.get(call_of(module), 0) + 1
    return counts
