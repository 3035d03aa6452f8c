"""Finds groups of units with many edges inside and few between them."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.analysis.partition._units import UnitGraph


def communities(units: UnitGraph) -> list[str | None] | None:
    """Return the community of each unit, None for all if the package networkx is missing.

    Source: V. Blondel and others, "Fast unfolding of communities in large networks", 2008 (Louvain).
    """
    try:
        # It takes as long to import as most commands run.
        import networkx
        from networkx.algorithms.community import louvain_communities
    except ImportError:
        return None
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(units.needs)))
    graph.add_weighted_edges_from(
        (unit, target, number)
        for unit, targets in enumerate(units.needs)
        for target, number in targets.items()
        if number
    )
    # A fixed seed: the same state has the same communities.
    found: Sequence[set[int]] = louvain_communities(graph, seed=0)
    homes: list[str | None] = [None] * len(units.needs)
    for number, members in enumerate(found):
        for unit in members:
            homes[unit] = str(number)
    return homes
