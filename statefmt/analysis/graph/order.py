"""Orders the nodes of a directed graph without cycles. Nothing here recurses."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from statefmt.analysis.graph.cycles import N


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
