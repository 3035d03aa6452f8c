"""Finds groups of units with many edges inside and few between them.

Source: V. Blondel and others, "Fast unfolding of communities in large networks", 2008 (Louvain). The package networkx
has it, too, but it moves nodes until none gains: for a chain of 12,000 resources that takes minutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from statefmt.analysis.partition._units import UnitGraph

# In each level, nodes move to the communities of their neighbours, so many times. The levels halve the nodes or end.
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
    """Return the community of each node after moving nodes as long as the modularity gains, within limits.

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
            # Whole numbers: the gain of modularity, times the square of the total. A node stays unless it gains.
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
    """Return the graph of the communities."""
    found: list[Counter[int]] = [Counter() for _ in range(count)]
    for node, near in enumerate(links):
        for other, number in near.items():
            found[joined[node]][joined[other]] += number
    return found
