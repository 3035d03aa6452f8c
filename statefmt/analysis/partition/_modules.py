"""Groups pieces by module calls, opening those that are too large to be a part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from statefmt.analysis.partition._pieces import PieceGraph
from statefmt.analysis.partition._units import UnitGraph, unit_graph

_Names = tuple[str, ...]


class ModuleUnits:
    """Units that are whole module calls, or single resources of a module that is not kept whole.

    A module with more than half of all instances is not kept whole if most of these are in modules that it calls. If
    `divides`, no such module is kept whole, nor are modules that need each other in a circle and have so many together.
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
        """Return the units, and for each the module that it is or has most instances of; None for resources."""
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
        """Open the modules of a circle that is too large; return whether there was one."""
        for unit, found in enumerate(self._modules):
            if len(found) > 1 and self.units.weights[unit] * 2 > self._total:
                self._opened.update(found)
                return True
        return False
