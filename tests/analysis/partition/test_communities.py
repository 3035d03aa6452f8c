"""The communities are as good as those of networkx."""

from __future__ import annotations

import random

import networkx
from networkx.algorithms.community import louvain_communities, modularity

from statefmt.analysis.partition._groupings import communities
from statefmt.analysis.partition._pieces import UnitGraph
from tests.tables import each_row


def edges_of(shape: str, count: int, seed: int) -> set[tuple[int, int]]:
    """Edges from higher nodes to lower ones."""
    choose = random.Random(seed)
    found: set[tuple[int, int]] = set()
    for node in range(1, count):
        if shape == "chain":
            found.add((node, node - 1))
        elif shape == "star":
            found.add((node, node % 3 if node > 2 else 0))
        elif shape == "groups":
            start = node - node % 25
            low = [choose.randrange(start, node) for _ in range(3)] if node > start else []
            found.update((node, other) for other in low)
            if choose.random() < 0.1:
                found.add((node, choose.randrange(node)))
        else:
            found.update((node, choose.randrange(node)) for _ in range(2))
    return found


@each_row("seed", range(3))
@each_row("shape", ["chain", "star", "groups", "random"])
def test_modularity(shape: str, seed: int) -> None:
    count = 400
    edges = edges_of(shape, count, seed)
    needs = [{target: 1 for source, target in sorted(edges) if source == node} for node in range(count)]
    found = communities(UnitGraph(range(count), needs, [1] * count))
    groups: dict[str, set[int]] = {}
    for node, community in enumerate(found):
        groups.setdefault(community, set()).add(node)
    graph = networkx.Graph(sorted(edges))
    theirs = modularity(graph, louvain_communities(graph, seed=0))
    assert modularity(graph, groups.values()) > 0.93 * theirs
