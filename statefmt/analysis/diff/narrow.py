"""A part of a comparison: some kinds of differences, at some addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from statefmt.analysis.diff._model import (
    InstanceChange,
    Movable,
    Move,
    SnapshotDiff,
)
from statefmt.analysis.diff.kinds import Kind, instance_kind, member_kind
from statefmt.model.addrs import AbsResourceInstance

AddressTest: TypeAlias = Callable[[AbsResourceInstance], bool]


def narrowed(changes: SnapshotDiff, wanted: frozenset[Kind], chosen: AddressTest | None = None) -> SnapshotDiff:
    """The differences of the wanted kinds. With `chosen`, only those of instances that it is true for.

    What goes by no instance is there without `chosen` only. An instance whose move is not wanted is told as if it had
    been at its new address already. Dependencies that followed are there if they are wanted, and what they followed.
    """
    picked = [change for change in changes.instances if _is_chosen(change, chosen)]
    instances = tuple(part for change in picked if (part := _part(change, wanted)) is not None)
    follows = Kind.DEPENDENCIES in wanted and not wanted.isdisjoint((Kind.MOVED, Kind.REKEYED, Kind.REMOVED))
    whole = chosen is None
    return SnapshotDiff(
        envelope=changes.envelope if whole and Kind.ENVELOPE in wanted else (),
        outputs=changes.outputs if whole and Kind.OUTPUTS in wanted else (),
        instances=instances,
        moves=_moves(changes.moves, instances),
        followed=tuple(change for change in changes.followed if _is_chosen(change, chosen)) if follows else (),
        resources=changes.resources if whole and Kind.RESOURCES in wanted else (),
        check_results=changes.check_results if whole and Kind.CHECKS in wanted else None,
    )


def move_of(change: InstanceChange, moves: Mapping[Movable, Move]) -> Move | None:
    """The move by which an instance moved, of moves by their old places; None for one that did not."""
    if change.old is None or not change.is_moved:
        return None
    addr = change.old.addr
    places: Iterable[Movable] = (*addr.module.on_the_way, addr.containing_resource(), addr)
    return next((moves[place] for place in places if place in moves), None)


def _is_chosen(change: InstanceChange, chosen: AddressTest | None) -> bool:
    return chosen is None or any(side is not None and chosen(side.addr) for side in (change.old, change.new))


def _part(change: InstanceChange, wanted: frozenset[Kind]) -> InstanceChange | None:
    """What is wanted of one change; None where nothing is."""
    kind = instance_kind(change)
    if kind in (Kind.ADDED, Kind.REMOVED):
        return change if kind in wanted else None
    members = tuple(member for member in change.members if member_kind(member) in wanted)
    objects = change.objects if Kind.DEPOSED in wanted else ()
    moved = kind in wanted
    if not (members or objects or moved):
        return None
    old = change.old
    if old is not None and change.new is not None and not moved:
        resource = replace(old.resource, addr=change.new.resource.addr)
        old = replace(old, resource=resource, key=change.new.key)
    return replace(change, old=old, members=members, objects=objects)


def _moves(moves: Sequence[Move], instances: Iterable[InstanceChange]) -> tuple[Move, ...]:
    """The moves that are left: as a whole where all of their instances are, else one by one."""
    by_place = {move.old: move for move in moves}
    found = [(change, move) for change in instances if (move := move_of(change, by_place)) is not None]
    counts = Counter(move for _, move in found)
    told: dict[Move, None] = {}
    for change, move in found:
        if counts[move] == move.count:
            told[move] = None
        elif change.old is not None and change.new is not None:
            told[Move(change.old.addr, change.new.addr, 1)] = None
    return tuple(sorted(told, key=lambda move: str(move.old)))
