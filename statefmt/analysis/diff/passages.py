"""Finds the instances that went from one state to another when several states changed together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from statefmt.analysis.diff import instance_change, instance_counts
from statefmt.analysis.diff.model import InstanceChange, Movable, Move, SnapshotDiff, move_from
from statefmt.analysis.diff.moved import may_be_replaced, object_mark, same_objects, whole_moves
from statefmt.model.addrs import AbsResource, AbsResourceInstance
from statefmt.model.snapshot import Snapshot, each_instance


class Passage(NamedTuple):
    """How an instance went between a state and the state `other`.

    `move` is that of the instance, or of the resource or module that went as a whole; its two addresses may be equal.
    `change` is what else changed of the instance, apart from dependencies.
    """

    other: str
    move: Move
    change: InstanceChange


class Passages(NamedTuple):
    """The instances that a state sent to others, by old address, and received from others, by new address."""

    sent: Mapping[AbsResourceInstance, Passage] = {}
    received: Mapping[AbsResourceInstance, Passage] = {}


NO_PASSAGES: Final = Passages()


class Scattered(NamedTuple):
    """Remote objects that are in two or more states, or in none any more: addresses, with the names of the states."""

    doubled: tuple[tuple[AbsResourceInstance, tuple[str, ...]], ...] = ()
    lost: tuple[tuple[AbsResourceInstance, str], ...] = ()


def scattered(before: Mapping[str, Snapshot], now: Mapping[str, Snapshot]) -> Scattered:
    """Return the objects that are in more states now than before, or were in one and are in none.

    Both arguments are by the names of the states.
    """
    had, has = _places_of_objects(before), _places_of_objects(now)
    doubled = [
        (places[-1][1], tuple(dict.fromkeys(name for name, _ in places)))
        for mark, places in has.items()
        if len(places) > max(1, len(had.get(mark, ())))
    ]
    lost = [(places[0][1], places[0][0]) for mark, places in had.items() if mark not in has]
    return Scattered(tuple(doubled), tuple(lost))


def passages(changes: Mapping[str, SnapshotDiff], after: Mapping[str, Snapshot]) -> dict[str, Passages]:
    """Return the instances that went between states; both arguments are by the names of states.

    An instance went to another state if the same remote object was removed in one and added in the other, and in no
    third one. `diff()` defines the same remote object.
    """
    here = [(name, one) for name, each in changes.items() for one in each.instances if _is_apart(one)]
    gone = {id(one.old): (name, one.old) for name, one in here if one.old}
    come = {id(one.new): (name, one.new) for name, one in here if one.new}
    ways: dict[tuple[str, str], list[InstanceChange]] = {}
    for one, other in same_objects([one for _, one in gone.values()], [one for _, one in come.values()]):
        source, target = gone[id(one)][0], come[id(other)][0]
        if source != target:
            ways.setdefault((source, target), []).append(
                _without_dependencies(instance_change(one, other, exact=False))
            )
    sent: dict[str, dict[AbsResourceInstance, Passage]] = {name: {} for name in changes}
    received: dict[str, dict[AbsResourceInstance, Passage]] = {name: {} for name in changes}
    counts = {name: instance_counts(after[name]) for way in ways for name in way}
    before = {name: _before(changes[name], counts[name]) for name, _ in ways}
    for (source, target), instances in ways.items():
        pairs = [(one.old.addr, one.new.addr) for one in instances if one.old and one.new]
        moves: dict[Movable, Move] = {move.old: move for move in whole_moves(before[source], counts[target], pairs)}
        for (old, new), change in zip(pairs, instances, strict=True):
            move = move_from(old, moves) or Move(old, new, 1)
            sent[source][old] = Passage(target, move, change)
            received[target][new] = Passage(source, move, change)
    return {name: Passages(sent[name], received[name]) for name in changes}


def apart(changes: SnapshotDiff, across: Passages) -> SnapshotDiff:
    """Return the changes of a state with two in place of one where an instance went and another came to its place."""
    instances: list[InstanceChange] = []
    for one in changes.instances:
        if one.old and one.new and (one.old.addr in across.sent or one.new.addr in across.received):
            instances += [InstanceChange(old=one.old, new=None), InstanceChange(old=None, new=one.new)]
        else:
            instances.append(one)
    return replace(changes, instances=tuple(instances))


def _places_of_objects(states: Mapping[str, Snapshot]) -> dict[object, list[tuple[str, AbsResourceInstance]]]:
    found: dict[object, list[tuple[str, AbsResourceInstance]]] = {}
    for name, snapshot in states.items():
        for instance in each_instance(snapshot):
            found.setdefault(object_mark(instance), []).append((name, instance.addr))
    return found


def _is_apart(change: InstanceChange) -> bool:
    """Return whether the two sides are not certainly the same instance."""
    return not (change.old and change.new) or may_be_replaced(change.old, change.new)


def _before(changes: SnapshotDiff, after: Mapping[AbsResource, int]) -> Mapping[AbsResource, int]:
    """Count the instances of each resource before a change, from those after it."""
    counts = Counter(after)
    for change in changes.instances:
        if change.new:
            counts[change.new.resource.addr] -= 1
        if change.old:
            counts[change.old.resource.addr] += 1
    return +counts


def _without_dependencies(change: InstanceChange) -> InstanceChange:
    kept = tuple(one for one in change.members if one.name not in ("dependencies", "depends_on"))
    return replace(change, members=kept)
