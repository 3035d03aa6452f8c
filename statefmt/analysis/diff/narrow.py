"""Filters a comparison by kind of difference and by address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from statefmt.analysis.diff._model import InstanceChange, Movable, Move, SnapshotDiff
from statefmt.analysis.diff.kinds import Kind, instance_kind, member_kind
from statefmt.model.addrs import AbsResourceInstance

# Whether a change at an address counts.
AddressTest: TypeAlias = Callable[[AbsResourceInstance], bool]


def narrowed(changes: SnapshotDiff, wanted: frozenset[Kind], chosen: AddressTest | None = None) -> SnapshotDiff:
    """Return the differences of the wanted kinds. With `chosen`, only those of instances that it accepts.

    Differences outside of instances are left out with `chosen`. An instance whose move is not wanted is reported as if
    it had been at its new address already. Followed dependencies are included if dependencies and moves or removals are
    wanted.
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
    """Return the move that an instance took part in, from moves by old address; None if it did not move."""
    return None if change.old is None or not change.is_moved else move_from(change.old.addr, moves)


def move_from(addr: AbsResourceInstance, moves: Mapping[Movable, Move]) -> Move | None:
    """Return the move that the instance with this old address took part in, from moves by old address."""
    places: Iterable[Movable] = (*addr.module.on_the_way, addr.containing_resource(), addr)
    return next((moves[place] for place in places if place in moves), None)


def _is_chosen(change: InstanceChange, chosen: AddressTest | None) -> bool:
    return chosen is None or any(side is not None and chosen(side.addr) for side in (change.old, change.new))


def _part(change: InstanceChange, wanted: frozenset[Kind]) -> InstanceChange | None:
    """Return the wanted part of one change; None if there is none."""
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
    """Return the moves that are left: whole ones if all their instances are left, else one for each instance."""
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
