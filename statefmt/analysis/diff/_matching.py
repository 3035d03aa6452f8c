"""Finds instances that moved: the same remote object at two addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Raw

from statefmt.analysis.selection.object_id import object_id
from statefmt.golang import compact, escape_html
from statefmt.model.instances import InstanceState
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.id_scope import id_scope

Pair: TypeAlias = tuple[InstanceState | None, InstanceState | None]
_Mark: TypeAlias = Callable[[ResourceInstanceObject], object]
_Test: TypeAlias = Callable[[ResourceInstanceObject, ResourceInstanceObject], bool]


def match(gone: Sequence[InstanceState], come: Sequence[InstanceState]) -> list[Pair]:
    """Pair the instances that only the old side has with those that only the new side has.

    Two instances are paired if they have the same remote object, and no third instance of their type and provider name
    has it too. Objects are compared by identity, then by `id`, then by attributes. If several have the same `id`, they
    are paired by `id` and scope, or by `id` and attributes; nothing is guessed. Remaining instances at the same address
    are paired last.
    """
    same = same_objects(gone, come)
    left = {other.addr: other for other in _without(come, [other for _, other in same])}
    alone = [(one, left.pop(one.addr, None)) for one in _without(gone, [one for one, _ in same])]
    return [*same, *alone, *((None, other) for other in left.values())]


def same_objects(
    gone: Sequence[InstanceState], come: Sequence[InstanceState]
) -> list[tuple[InstanceState, InstanceState]]:
    """Pair the instances that certainly have the same remote object; on each side, they may be of several states."""
    pairs: list[tuple[InstanceState, InstanceState]] = []
    for mark, test in _MARKS:
        found = [(one, other) for one, other in _unique(gone, come, mark) if test(_object(one), _object(other))]
        pairs += found
        gone = _without(gone, [one for one, _ in found])
        come = _without(come, [other for _, other in found])
    return pairs


def may_be_replaced(one: InstanceState, other: InstanceState) -> bool:
    """Return whether an address has another remote object than before, so that either may now be at another address."""
    mine, theirs = one.current, other.current
    if mine is None or theirs is None or mine.attributes == theirs.attributes:
        return False
    before, now = object_id(mine), object_id(theirs)
    if not before or not now or before != now:
        return bool(before and now)
    return _attributes(mine) != _attributes(theirs) and not _one_scope(mine, theirs)


def object_mark(instance: InstanceState) -> object:
    """Return what tells the remote object of an instance from all others: its address, if it has nothing else."""
    obj = _object(instance)
    found = next((value for mark in (_identity, _id_and_scope, _attributes) if (value := mark(obj)) is not None), None)
    return _kind(instance), instance.addr if found is None else found


def _unique(
    old: Sequence[InstanceState], new: Sequence[InstanceState], mark: _Mark
) -> list[tuple[InstanceState, InstanceState]]:
    """Return the pairs with equal marks, if each is the only instance of its type on its side with that mark."""
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


def _id(obj: ResourceInstanceObject) -> str | None:
    return object_id(obj) or None


def _id_and_scope(obj: ResourceInstanceObject) -> object:
    name = object_id(obj)
    return (name, _scope(obj)) if name else None


def _id_and_attributes(obj: ResourceInstanceObject) -> object:
    name = object_id(obj)
    return (name, _attributes(obj)) if name else None


def _scope(obj: ResourceInstanceObject) -> tuple[bytes, ...]:
    return id_scope(obj.attributes, obj.attributes_flat)


def _one_scope(one: ResourceInstanceObject, other: ResourceInstanceObject) -> bool:
    """Return whether the scopes agree in all attributes that both have; later provider releases may add some."""
    return all(
        mine == theirs or not mine or not theirs for mine, theirs in zip(_scope(one), _scope(other), strict=True)
    )


def _always(one: ResourceInstanceObject, other: ResourceInstanceObject) -> bool:
    return True


def _text(raw: Raw) -> bytes:
    return escape_html(compact(bytes(raw)))


# What identifies a remote object, most reliable first, and a test that pairs must also pass.
_MARKS: tuple[tuple[_Mark, _Test], ...] = (
    (_identity, _always),
    (_id, _one_scope),
    (_id_and_scope, _always),
    (_id_and_attributes, _always),
    (_attributes, _always),
)
