"""Places the nodes of a graph in columns, each to the left of what it depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

_ROW: Final = 34
_NODE: Final = 24
_COLUMN_GAP: Final = 70
_CHARACTER: Final = 7.3
_PADDING: Final = 20
_LONGEST: Final = 44


class DrawnNode(NamedTuple):
    """A node with its place in the drawing."""

    name: str
    label: str
    x: float
    y: float
    width: float
    height: float


class DrawnEdge(NamedTuple):
    """An edge, as the path of an SVG."""

    source: str
    target: str
    path: str


class Drawing(NamedTuple):
    """A graph with its size in units of the drawing."""

    width: float
    height: float
    nodes: tuple[DrawnNode, ...]
    lines: tuple[DrawnEdge, ...]


def drawn(labels: Mapping[str, str], edges: Mapping[str, Sequence[str]]) -> Drawing:
    """Place nodes, given their labels and what each depends on; cycles are allowed. Meant for up to 100 nodes."""
    columns = _columns(edges)
    nodes: dict[str, DrawnNode] = {}
    x = 1.0
    for column in columns:
        texts = {name: _shortened(labels[name]) for name in column}
        width = max(len(text) for text in texts.values()) * _CHARACTER + _PADDING
        for row, name in enumerate(_ordered(column, edges, nodes)):
            nodes[name] = DrawnNode(name, texts[name], x, row * _ROW + 4, width, _NODE)
        x += width + _COLUMN_GAP
    lines = [(source, target, *_path(nodes[source], nodes[target])) for source in edges for target in edges[source]]
    height = max([len(column) * _ROW for column in columns] + [lowest + 4 for *_, lowest in lines], default=0)
    edge_paths = tuple(DrawnEdge(source, target, path) for source, target, path, _ in lines)
    return Drawing(max(0.0, x - _COLUMN_GAP + 1), height, tuple(nodes.values()), edge_paths)


def _columns(edges: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the nodes by their distance from those that nothing depends on, over the longest path."""
    waiting = dict.fromkeys(edges, 0)
    for source, targets in edges.items():
        for target in targets:
            waiting[target] += target != source
    column = dict.fromkeys(edges, 0)
    while waiting:
        # In a cycle, every node waits: the first one goes before the others.
        name = next((name for name, number in waiting.items() if not number), next(iter(waiting)))
        del waiting[name]
        for target in edges[name]:
            if target in waiting:
                waiting[target] -= 1
                column[target] = max(column[target], column[name] + 1)
    found: list[list[str]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for name, place in column.items():
        found[place].append(name)
    return [names for names in found if names]


def _ordered(column: Sequence[str], edges: Mapping[str, Sequence[str]], placed: Mapping[str, DrawnNode]) -> list[str]:
    """Sort a column by the mean height of what depends on each node, so that fewer lines cross."""
    heights: dict[str, list[float]] = {name: [] for name in column}
    for source, node in placed.items():
        for target in edges[source]:
            if target in heights:
                heights[target].append(node.y)
    return sorted(column, key=lambda name: sum(heights[name]) / len(heights[name]) if heights[name] else 0.0)


def _path(source: DrawnNode, target: DrawnNode) -> tuple[str, float]:
    """Return the path of an edge, and its lowest point. It passes below the nodes that a straight one would cross."""
    if target.x <= source.x or (target.y == source.y and target.x > source.x + source.width + _COLUMN_GAP + 1):
        x1, x2, bottom = source.x + source.width / 2, target.x + target.width / 2, source.y + source.height
        depth = 20 + abs(x2 - x1) / 16
        end = target.y + target.height
        lowest = max(bottom, end) + depth
        path = f"M{x1:.0f} {bottom:.0f}C{x1:.0f} {lowest:.0f} {x2:.0f} {lowest:.0f} {x2:.0f} {end:.0f}"
        return path, lowest - depth / 4
    x1, y1 = source.x + source.width, source.y + source.height / 2
    x2, y2 = target.x, target.y + target.height / 2
    bend = max(_COLUMN_GAP / 2, abs(x2 - x1) / 3)
    return f"M{x1:.0f} {y1:.0f}C{x1 + bend:.0f} {y1:.0f} {x2 - bend:.0f} {y2:.0f} {x2:.0f} {y2:.0f}", max(y1, y2)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"
