"""Contracts pieces that stay together to units, and orders the units so that each comes after what it needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from statefmt.analysis.graph.cycles import cyclic_groups
from statefmt.analysis.graph.order import targets_first
from statefmt.analysis.partition._pieces import PieceGraph


class UnitGraph(NamedTuple):
    """Units by number: each needs only units with lower numbers.

    `of_node` has the unit of each node: the pieces first, then what they need. `needs` has the units that a unit needs,
    each with the number of dependencies that do not follow from others. `weights` are numbers of instances.
    """

    of_node: Sequence[int]
    needs: Sequence[Mapping[int, int]]
    weights: Sequence[int]

    @property
    def dependents(self) -> list[list[int]]:
        """The units that need each unit."""
        found: list[list[int]] = [[] for _ in self.needs]
        for unit, targets in enumerate(self.needs):
            for target in targets:
                found[target].append(unit)
        return found


def unit_graph(graph: PieceGraph, labels: Sequence[Hashable]) -> UnitGraph:
    """Contract nodes with equal labels, and nodes that need each other in a circle; `labels` has one for each node."""
    numbers: dict[Hashable, int] = {}
    of_node = [numbers.setdefault(label, len(numbers)) for label in labels]
    targets: list[Counter[int]] = [Counter() for _ in numbers]
    for node, edges in enumerate(graph.edges):
        home = of_node[node]
        direct = edges if node >= len(graph.pieces) else graph.direct_edges(node)
        for target in edges:
            targets[home][of_node[target]] += target in direct
        del targets[home][home]
    merged = list(range(len(targets)))
    for group in cyclic_groups(dict(enumerate(targets))):
        for unit in group:
            merged[unit] = group[0]
    between: dict[int, Counter[int]] = {unit: Counter() for unit in merged}
    for unit, found in enumerate(targets):
        for target, number in found.items():
            if merged[target] != merged[unit]:
                between[merged[unit]][merged[target]] += number
    place = {unit: number for number, unit in enumerate(targets_first(between))}
    needs: list[Mapping[int, int]] = [{} for _ in place]
    for unit, found in between.items():
        needs[place[unit]] = dict(sorted((place[target], number) for target, number in found.items()))
    weights = [0] * len(place)
    final = [place[merged[unit]] for unit in of_node]
    for piece, unit in zip(graph.pieces, final, strict=False):
        weights[unit] += len(piece.keys)
    return UnitGraph(final, needs, weights)
