"""Finds cycles in a directed graph, given as the targets of each node, and orders graphs without cycles.

Nothing here recurses, so a chain of 15,000 nodes is no problem.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final, TypeVar

Edges = Mapping[str, Collection[str]]
# A node: its address, or a number.
N = TypeVar("N", str, int)

_EFFORT: Final = 300_000  # edges to visit in search of shorter cycles


def cyclic_groups(edges: Mapping[N, Collection[N]]) -> list[list[N]]:
    """Return the strongly connected components with more than one node, each sorted, in sorted order."""
    left = _not_in_order(edges)
    if not left:
        return []
    return sorted(sorted(group) for group in _components({node: edges[node] for node in edges if node in left}))


def short_cycles(groups: Iterable[Collection[str]], edges: Edges) -> Iterator[list[str]]:
    """Yield a cycle within each strongly connected component, as nodes without repeating the start.

    The cycles are shortest ones, unless the components are too large for a full search: then they are the shortest
    through the first nodes.
    """
    effort = _EFFORT
    for group in groups:
        inside = set(group)
        best: list[str] = []
        for start in group:
            cycle, seen = _cycle_through(start, inside, edges, len(best))
            best = cycle or best
            effort -= seen
            if len(best) == 2 or effort < 0:
                break
        yield best


def _cycle_through(start: str, inside: set[str], edges: Edges, below: int) -> tuple[list[str], int]:
    """Return a shortest cycle through `start` with fewer than `below` nodes (0: any), if any, and the edges visited."""
    origin = {start: start}
    ring, length, seen = [start], 1, 0
    while ring and (not below or length < below):
        following = []
        for node in ring:
            seen += len(edges[node])
            for target in edges[node]:
                if target == start and node != start:
                    cycle = [node]
                    while cycle[-1] != start:
                        cycle.append(origin[cycle[-1]])
                    return cycle[::-1], seen
                if target in inside and target not in origin:
                    origin[target] = node
                    following.append(target)
        ring, length = following, length + 1
    return [], seen


def _not_in_order(edges: Mapping[N, Collection[N]]) -> set[N]:
    """Return the nodes that remain after repeatedly removing nodes that are not a target of any remaining node."""
    # A plain dictionary is faster in the loop.
    named = dict(Counter(chain.from_iterable(edges.values())))
    free = [node for node in edges if node not in named]
    while free:
        for target in edges.get(free.pop(), ()):
            named[target] = count = named[target] - 1
            if not count:
                free.append(target)
    return {node for node, count in named.items() if count}


def _components(edges: Mapping[N, Collection[N]]) -> Iterator[list[N]]:
    """Yield Tarjan's strongly connected components with more than one node, using an explicit call stack."""
    numbers: dict[N, int] = {}
    lowest: dict[N, int] = {}
    open_nodes: dict[N, None] = {}
    for root in edges:
        calls = [] if root in numbers else [(root, iter(edges[root]))]
        while calls:
            node, targets = calls[-1]
            if node not in numbers:
                numbers[node] = lowest[node] = len(numbers)
                open_nodes[node] = None
            for target in targets:
                if target in open_nodes:
                    lowest[node] = min(lowest[node], numbers[target])
                elif target in edges and target not in numbers:
                    calls.append((target, iter(edges[target])))
                    break
            else:
                calls.pop()
                if calls:
                    caller = calls[-1][0]
                    lowest[caller] = min(lowest[caller], lowest[node])
                if lowest[node] == numbers[node]:
                    group: list[N] = []
                    while not group or group[-1] != node:
                        group.append(open_nodes.popitem()[0])
                    if len(group) > 1:
                        yield group


def targets_first(edges: Mapping[N, Collection[N]]) -> list[N]:
    """Return the nodes in topological order, each after its targets and as near to them as possible."""
    done: dict[N, None] = {}
    for root, first in edges.items():
        calls = [] if root in done else [(root, iter(sorted(first)))]
        while calls:
            node, targets = calls[-1]
            target = next((target for target in targets if target not in done), None)
            if target is None:
                done[node] = None
                calls.pop()
            else:
                calls.append((target, iter(sorted(edges[target]))))
    return list(done)
