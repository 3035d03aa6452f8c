"""Finds the edges of a graph that follow from its other edges, which a picture can omit.

In a graph without cycles, the remaining edges are the transitive reduction. The nodes of a cycle count as one node for
edges from and to other nodes, and all edges among them are kept. Nothing here recurses.
"""

from __future__ import annotations

from statefmt.analysis.graph.cycles import Edges, cyclic_groups
from statefmt.analysis.graph.order import targets_first


def implied_edges(edges: Edges) -> frozenset[tuple[str, str]]:
    """Return the edges whose target can also be reached from the source through another node.

    `edges` has every node, with the targets of each.
    """
    home = {node: node for node in edges}
    for group in cyclic_groups(edges):
        home |= dict.fromkeys(group, group[0])
    between: dict[str, set[str]] = {home[node]: set() for node in edges}
    for node, targets in edges.items():
        between[home[node]] |= {home[target] for target in targets} - {home[node]}
    direct = _direct(between)
    return frozenset(
        (node, target)
        for node, targets in edges.items()
        for target in targets
        if home[target] != home[node] and home[target] not in direct[home[node]]
    )


def _direct(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the edges of a graph without cycles that do not follow from others."""
    number = {node: place for place, node in enumerate(targets_first(edges))}
    # Bit sets of the nodes that can be reached from a node, itself included.
    reach: dict[str, int] = {}
    direct: dict[str, set[str]] = {}
    for node, place in number.items():
        covered, kept = 0, set()
        # A node that leads to a target has a higher number, so it comes first here.
        for target in sorted(edges[node], key=number.__getitem__, reverse=True):
            if not covered >> number[target] & 1:
                kept.add(target)
                covered |= reach[target]
        direct[node] = kept
        reach[node] = covered | 1 << place
    return direct
