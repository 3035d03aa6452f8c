"""Groups the pieces of a state into parts: by module calls, by communities in the graph, or by levels.

Small parts are merged with others. No grouping creates cycles between parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Final

from statefmt.analysis.cycles import targets_first
from statefmt.analysis.partition._pieces import PieceGraph, UnitGraph, unit_graph

_Names = tuple[str, ...]


class ModuleUnits:
    """Units that are whole module calls, or single resources of a module that is not kept whole.

    A module with more than half of all instances is not kept whole if most of these are in modules that it calls. If
    `divides`, no such module is kept whole, nor are modules in a cycle that together have so many.
    """

    def __init__(self, graph: PieceGraph, *, divides: bool) -> None:
        self._graph = graph
        self._total = sum(len(piece.keys) for piece in graph.pieces)
        counts: Counter[_Names] = Counter()
        own: Counter[_Names] = Counter()
        for piece in graph.pieces:
            names = tuple(step.name for step in piece.resource.module.steps)
            own[names] += len(piece.keys)
            for depth in range(len(piece.resource.module.on_the_way) + 1):
                counts[names[:depth]] += len(piece.keys)
        large = {names for names, count in counts.items() if count * 2 > self._total}
        self._opened = {names for names in large if divides or own[names] * 2 < counts[names]}
        # The modules that are kept whole.
        self.count = 0
        self.units, self.homes = self._contracted()
        while divides and self._opened_circle():
            self.units, self.homes = self._contracted()

    def _label(self, names: _Names, block: str) -> Hashable:
        closed = (names[:depth] for depth in range(1, len(names) + 1) if names[:depth] not in self._opened)
        return next(closed, block)

    def _contracted(self) -> tuple[UnitGraph, list[str | None]]:
        """Return the units, and for each its module, or the module of most of its instances; None for resources."""
        blocks: dict[str, Hashable] = {}
        labels: list[Hashable] = []
        for piece in self._graph.pieces:
            names = tuple(step.name for step in piece.resource.module.steps)
            block = str(piece.resource.config())
            labels.append(blocks.setdefault(block, self._label(names, block)))
        labels += [blocks[one.block] for one in self._graph.needed]
        units = unit_graph(self._graph, labels)
        modules: list[Counter[_Names]] = [Counter() for _ in units.needs]
        for piece, label, unit in zip(self._graph.pieces, labels, units.of_node, strict=False):
            if isinstance(label, tuple):
                modules[unit][label] += len(piece.keys)
        self._modules = modules
        self.count = sum(map(len, modules))
        largest = [max(found, key=lambda one: found[one]) if found else () for found in modules]
        self.names = ["".join(names[-1:]) for names in largest]
        return units, [".".join(names) or None for names in largest]

    def _opened_circle(self) -> bool:
        """Open the modules of a cycle that is too large; return whether there was one."""
        for unit, found in enumerate(self._modules):
            if len(found) > 1 and self.units.weights[unit] * 2 > self._total:
                self._opened.update(found)
                return True
        return False


# The number of times that nodes move to the communities of their neighbours in each level. Each level halves the
# nodes or is the last.
_SWEEPS: Final = 12
_LEVELS: Final = 30


def communities(units: UnitGraph) -> list[str]:
    """Return the community of each unit."""
    links: list[Counter[int]] = [Counter() for _ in units.needs]
    for unit, targets in enumerate(units.needs):
        for target, number in targets.items():
            if number:
                links[unit][target] += number
                links[target][unit] += number
    found = list(range(len(links)))
    for _ in range(_LEVELS):
        moved = _moved(links)
        numbers: dict[int, int] = {}
        joined = [numbers.setdefault(community, len(numbers)) for community in moved]
        if len(numbers) == len(links):
            break
        found = [joined[node] for node in found]
        links = _joined(links, joined, len(numbers))
    return [str(community) for community in found]


def _moved(links: Sequence[Mapping[int, int]]) -> list[int]:
    """Return the community of each node after moving nodes as long as the modularity increases, within limits.

    The weight of a node's edge to itself counts the edges inside it twice.
    """
    home = list(range(len(links)))
    degrees = [sum(near.values()) for near in links]
    total = sum(degrees)
    weights = list(degrees)
    for _ in range(_SWEEPS):
        changed = False
        for node, near in enumerate(links):
            here, degree = home[node], degrees[node]
            to: dict[int, int] = {here: 0}
            for other, number in near.items():
                if other != node:
                    to[home[other]] = to.get(home[other], 0) + number
            weights[here] -= degree
            # Whole numbers: the gain of modularity, times the square of the total. A node stays unless there is a
            # gain.
            best, gain = here, to[here] * total - weights[here] * degree
            for community, number in to.items():
                other_gain = number * total - weights[community] * degree
                if other_gain > gain:
                    best, gain = community, other_gain
            weights[best] += degree
            if best != here:
                home[node], changed = best, True
        if not changed:
            break
    return home


def _joined(links: Sequence[Mapping[int, int]], joined: Sequence[int], count: int) -> list[Counter[int]]:
    found: list[Counter[int]] = [Counter() for _ in range(count)]
    for node, near in enumerate(links):
        for other, number in near.items():
            found[joined[node]][joined[other]] += number
    return found


_LEVEL_SWEEPS: Final = 4
# The parts for units without a home: below all others, and above them.
SHARED, OVERALL = "<shared>", "<overall>"


def levels(units: UnitGraph, homes: Sequence[str | None], *, raises: bool = False) -> tuple[list[int], Sequence[str]]:
    """Return the part of each unit, and the names of the parts; a unit needs only parts with its number or lower ones.

    `homes` are the preferred parts of units. Units without a home join their dependents; they go below all parts if
    several use them, and above all if they use several. A unit that a lower part needs moves there; if `raises`,
    units that need a higher part move there instead.
    """
    placed, waiting = _placed(units, homes)
    order = _part_order(units, placed)
    # If parts form a cycle, the other direction may leave more in them.
    inner = [name for name in order if name not in (SHARED, OVERALL)]
    ends = (SHARED,) if SHARED in order else (), (OVERALL,) if OVERALL in order else ()
    tried = [
        _leveled(units, placed, waiting, names, raises=raises)
        for names in (order, [*ends[0], *reversed(inner), *ends[1]])
    ]
    return min(tried, key=lambda one: max(_weights(units, one[0]).values(), default=0))


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


def _weights(units: UnitGraph, parts: Sequence[int]) -> Counter[int]:
    """Return the number of instances in each part, given the part of each unit."""
    weights: Counter[int] = Counter()
    for unit, part in enumerate(parts):
        weights[part] += units.weights[unit]
    return weights


def refined(units: UnitGraph, found: Sequence[int], most: float) -> list[int]:
    """Move units to the parts with which they have most edges, as far as the order of the parts allows.

    No part gets heavier than `most`.
    """
    now, dependents = list(found), units.dependents
    weights = _weights(units, now)
    for sweep in range(_LEVEL_SWEEPS):
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
    # The parts of the dependencies of a unit, and of its dependents: "" for no part, None for several.
    down: list[str | None] = [""] * count
    up: list[str | None] = [""] * count
    for unit in range(count):
        for target in units.needs[unit]:
            down[unit] = _joint_home(down[unit], homes[target] or down[target])
    for unit in reversed(range(count)):
        through = homes[unit] or up[unit]
        for target in units.needs[unit]:
            up[target] = _joint_home(up[target], through)
    placed = list(homes)
    waiting: set[int] = set()
    for unit in range(count):
        if placed[unit] is None:
            above, below = up[unit], down[unit]
            if above is None and below is None:
                waiting.add(unit)
            elif above or below:
                # Units that are only needed together join the part of the pieces.
                placed[unit] = (above or below) if units.weights[unit] else (below or above)
            else:
                placed[unit] = OVERALL if below is None else SHARED
    return placed, waiting


def _joint_home(one: str | None, other: str | None) -> str | None:
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
        # Units without needs are low, and units without dependents are high. Of the rest, the most needed are low.
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


# Parts that are merged one by one: more are first merged in their order.
_MOST_COMPARED: Final = 64


def merged(units: UnitGraph, parts: Sequence[int], *, most: int, least: float, limit: float) -> list[int]:
    """Return the part of each unit after merging parts with fewer instances than `least`, or in excess of `most`.

    Units need only parts with their number or lower ones, before and after. A part is merged with the part with which
    it has most edges; no part gets heavier than `limit` while another can be merged.
    """
    first = _in_order(_weights(units, parts))
    links: dict[int, Counter[int]] = {part: Counter() for part in first.values()}
    weights = _weights(units, [first[part] for part in parts])
    for unit, part in enumerate(parts):
        home = first[part]
        for target, number in units.needs[unit].items():
            if first[parts[target]] != home:
                links[home][first[parts[target]]] += number
    into = {part: part for part in links}
    total = weights.total()
    while len(links) > 1:
        small = min(links, key=lambda part: (weights[part], part))
        if weights[small] >= least and len(links) <= most:
            break
        other = _partner(small, links, weights, (1.5 * total / most, limit))
        _merge(small, other, links, weights)
        into = {part: other if home == small else home for part, home in into.items()}
    final = {part: place for place, part in enumerate(targets_first(links))}
    return [final[into[first[part]]] for part in parts]


def _in_order(weights: Mapping[int, int]) -> dict[int, int]:
    """Merge neighbours in the order of the parts until few are left."""
    ordered = sorted(weights)
    if len(ordered) <= _MOST_COMPARED:
        return {part: part for part in ordered}
    size = sum(weights.values()) / _MOST_COMPARED
    found, home, weight = {}, ordered[0], 0.0
    for part in ordered:
        if weight and weight + weights[part] > size:
            home, weight = part, 0.0
        found[part] = home
        weight += weights[part]
    return found


def _partner(small: int, links: Mapping[int, Counter[int]], weights: Mapping[int, int], limits: Sequence[float]) -> int:
    """Return the part to merge a part with: no third part may be on a path between the two."""
    below = _through(small, {part: list(targets) for part, targets in links.items()})
    needed: dict[int, list[int]] = {part: [] for part in links}
    for part, targets in links.items():
        for target in targets:
            needed[target].append(part)
    above = _through(small, needed)
    edges = Counter(links[small])
    for part in needed[small]:
        edges[part] += links[part][small]
    # A part that is also reached through another one cannot be merged.
    free = [part for part in links if part != small and part not in below and part not in above]

    def rank(part: int) -> tuple[object, ...]:
        both = weights[part] + weights[small]
        return *(both <= limit for limit in limits), edges[part] / max(weights[part], 1), -weights[part]

    return max(free, key=rank)


def _through(start: int, edges: Mapping[int, Sequence[int]]) -> set[int]:
    """Return the parts reachable from a part in two steps or more."""
    seen: set[int] = set()
    waiting = [target for near in edges[start] for target in edges[near]]
    while waiting:
        part = waiting.pop()
        if part not in seen:
            seen.add(part)
            waiting += edges[part]
    return seen


def _merge(small: int, other: int, links: dict[int, Counter[int]], weights: Counter[int]) -> None:
    links[other] += links.pop(small)
    weights[other] += weights.pop(small)
    for targets in links.values():
        if small in targets:
            targets[other] += targets.pop(small)
    del links[other][other]
