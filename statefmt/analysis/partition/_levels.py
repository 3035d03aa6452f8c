"""Assigns units to parts in an order of the parts, so that no part needs a higher one: then there are no circles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from statefmt.analysis.partition._units import UnitGraph

_SWEEPS: Final = 4
# The parts for units without a home: below all others, and above them.
SHARED, OVERALL = "<shared>", "<overall>"


def levels(units: UnitGraph, homes: Sequence[str | None], *, raises: bool = False) -> tuple[list[int], Sequence[str]]:
    """Return the part of each unit, and the names of the parts; a unit needs only parts with its number or lower ones.

    `homes` are the parts that units should be in. Units without one go where they are used; below all parts if several
    use them, and above all if they use several. A unit that a lower part needs moves there; if `raises`, what needs a
    higher part moves there instead.
    """
    placed, waiting = _placed(units, homes)
    order = _part_order(units, placed)
    # Where parts need each other in a circle, the other direction may leave more in them.
    inner = [name for name in order if name not in (SHARED, OVERALL)]
    ends = (SHARED,) if SHARED in order else (), (OVERALL,) if OVERALL in order else ()
    tried = [
        _leveled(units, placed, waiting, names, raises=raises)
        for names in (order, [*ends[0], *reversed(inner), *ends[1]])
    ]
    return min(tried, key=lambda one: _heaviest(units, one[0]))


def _leveled(
    units: UnitGraph, placed: Sequence[str | None], waiting: Collection[int], order: Sequence[str], *, raises: bool
) -> tuple[list[int], Sequence[str]]:
    ranks = {name: rank for rank, name in enumerate(order)}
    found = [-1 if name is None else ranks[name] for name in placed]
    for unit in sorted(waiting):
        found[unit] = max(found[target] for target in units.needs[unit])
    if raises:
        for unit, targets in enumerate(units.needs):
            found[unit] = max([found[unit], *(found[target] for target in targets)])
    else:
        for unit in reversed(range(len(found))):
            for target in units.needs[unit]:
                found[target] = min(found[target], found[unit])
    return found, order


def _heaviest(units: UnitGraph, parts: Sequence[int]) -> int:
    weights: Counter[int] = Counter()
    for unit, part in enumerate(parts):
        weights[part] += units.weights[unit]
    return max(weights.values(), default=0)


def refined(units: UnitGraph, found: Sequence[int], most: float) -> list[int]:
    """Move units to the parts that they have most edges with, as far as the order of the parts lets them.

    No part gets heavier than `most`.
    """
    now, dependents = list(found), units.dependents
    weights: Counter[int] = Counter()
    for unit, part in enumerate(now):
        weights[part] += units.weights[unit]
    for sweep in range(_SWEEPS):
        moved = False
        order = range(len(now))
        for unit in reversed(order) if sweep % 2 else order:
            below, above = Counter[int](), Counter[int]()
            for target, number in units.needs[unit].items():
                below[now[target]] += number
            for source in dependents[unit]:
                above[now[source]] += units.needs[source][unit]
            here, weight = now[unit], units.weights[unit]
            links = below + above
            allowed = [
                part
                for part in links
                if (not below or part >= max(below))
                and (not above or part <= min(above))
                and (part == here or weights[part] + weight <= most)
            ]
            best = max(allowed, key=lambda part: (links[part], part == here, -part), default=here)
            if links[best] > links[here]:
                now[unit], moved = best, True
                weights[here] -= weight
                weights[best] += weight
        if not moved:
            break
    return now


def _placed(units: UnitGraph, homes: Sequence[str | None]) -> tuple[list[str | None], set[int]]:
    """Return a part for each unit, and the units that must wait for the order of the parts."""
    count = len(units.needs)
    # What a unit leads to, and what leads to it: "" for no part, None for several.
    down: list[str | None] = [""] * count
    up: list[str | None] = [""] * count
    for unit in range(count):
        for target in units.needs[unit]:
            down[unit] = _joined(down[unit], homes[target] or down[target])
    for unit in reversed(range(count)):
        through = homes[unit] or up[unit]
        for target in units.needs[unit]:
            up[target] = _joined(up[target], through)
    placed = list(homes)
    waiting: set[int] = set()
    for unit in range(count):
        if placed[unit] is None:
            above, below = up[unit], down[unit]
            if above is None and below is None:
                waiting.add(unit)
            elif above or below:
                # What is only needed together is where the pieces are.
                placed[unit] = (above or below) if units.weights[unit] else (below or above)
            else:
                placed[unit] = OVERALL if below is None else SHARED
    return placed, waiting


def _joined(one: str | None, other: str | None) -> str | None:
    if one == "" or one == other:
        return other
    return one if other == "" else None


def _part_order(units: UnitGraph, placed: Sequence[str | None]) -> list[str]:
    """Return the parts, lowest first, with few edges against the order.

    Source: P. Eades, X. Lin, W. F. Smyth, "A fast and effective heuristic for the feedback arc set problem", 1993.
    """
    names = dict.fromkeys(name for name in placed if name is not None)
    left = dict.fromkeys(name for name in names if name not in (SHARED, OVERALL))
    needs: dict[str, Counter[str]] = {name: Counter() for name in left}
    needed: dict[str, Counter[str]] = {name: Counter() for name in left}
    for unit, home in enumerate(placed):
        for target, number in units.needs[unit].items():
            other = placed[target]
            if home is not None and other is not None and home in left and other in left and home != other:
                needs[home][other] += number
                needed[other][home] += number
    low, high = [name for name in (SHARED,) if name in names], [name for name in (OVERALL,) if name in names]
    while left:
        # What needs nothing is low, and what nothing needs is high. Else what is needed most is low.
        bottom = next((name for name in left if not needs[name]), None)
        top = None if bottom else next((name for name in left if not needed[name]), None)
        chosen = bottom or top or max(left, key=lambda name: needed[name].total() - needs[name].total())
        if top is None:
            low.append(chosen)
        else:
            high.insert(0, chosen)
        del left[chosen]
        for name in needs.pop(chosen):
            needed[name].pop(chosen, None)
        for name in needed.pop(chosen):
            needs[name].pop(chosen, None)
    return [*low, *high]
