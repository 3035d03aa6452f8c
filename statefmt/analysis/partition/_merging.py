"""Merges small parts with others, without making circles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from statefmt.analysis.graph.order import targets_first
from statefmt.analysis.partition._units import UnitGraph

# Parts that are merged one by one: more are first merged in their order.
_MOST_COMPARED: Final = 64


def merged(units: UnitGraph, parts: Sequence[int], *, most: int, least: float, limit: float) -> list[int]:
    """Return the part of each unit after merging parts that have fewer instances than `least`, or are more than `most`.

    Units need only parts with their number or lower ones, before and after. A part is merged with the one it has most
    edges with; no part gets heavier than `limit` while another can be merged.
    """
    weights: Counter[int] = Counter()
    for unit, part in enumerate(parts):
        weights[part] += units.weights[unit]
    first = _in_order(weights)
    links: dict[int, Counter[int]] = {part: Counter() for part in first.values()}
    weights = Counter()
    for unit, part in enumerate(parts):
        home = first[part]
        weights[home] += units.weights[unit]
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
    """Return the part to merge a part with: no third part may be on a way between the two."""
    below = _through(small, {part: list(targets) for part, targets in links.items()})
    needed: dict[int, list[int]] = {part: [] for part in links}
    for part, targets in links.items():
        for target in targets:
            needed[target].append(part)
    above = _through(small, needed)
    edges = Counter(links[small])
    for part in needed[small]:
        edges[part] += links[part][small]
    # A part that is reached through another one as well cannot be merged.
    free = [part for part in links if part != small and part not in below and part not in above]

    def rank(part: int) -> tuple[object, ...]:
        both = weights[part] + weights[small]
        return *(both <= limit for limit in limits), edges[part] / max(weights[part], 1), -weights[part]

    return max(free, key=rank)


def _through(start: int, edges: Mapping[int, Sequence[int]]) -> set[int]:
    """Return what can be reached from a part in two steps or more."""
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
