"""Divides a rectangle among sizes, as nearly into squares as possible.

Source: Bruls, Huizing, van Wijk: Squarified Treemaps (2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle, in units of the drawing."""

    x: float
    y: float
    width: float
    height: float

    def inside(self, margin: float, top: float) -> Box:
        """Return the rectangle without a margin and a heading of height `top`; empty if it is too small."""
        return Box(
            self.x + margin, self.y + top, max(0.0, self.width - 2 * margin), max(0.0, self.height - top - margin)
        )


def squarified(sizes: Sequence[float], box: Box) -> list[Box]:
    """Return a box for each size, in the same order. The sizes must be positive and descending.

    The areas are in proportion to the sizes and fill the box.
    """
    total = sum(sizes)
    if not total or not box.width or not box.height:
        return [Box(box.x, box.y, 0, 0) for _ in sizes]
    scale = box.width * box.height / total
    areas = [size * scale for size in sizes]
    found: list[Box] = []
    start = 0
    while start < len(areas):
        side = min(box.width, box.height)
        end, row = start + 1, areas[start]
        # Areas descend, so the first of a row is its largest and the last its smallest.
        while end < len(areas) and _worst(areas[start], areas[end], row + areas[end], side) <= _worst(
            areas[start], areas[end - 1], row, side
        ):
            row += areas[end]
            end += 1
        boxes, box = _laid(areas[start:end], row, box)
        found += boxes
        start = end
    return found


def _worst(largest: float, smallest: float, row: float, side: float) -> float:
    """Return the worst ratio of width and height in a row along a side."""
    if not smallest or not side:
        return float("inf")
    return max(side * side * largest / (row * row), row * row / (side * side * smallest))


def _laid(areas: Sequence[float], row: float, box: Box) -> tuple[list[Box], Box]:
    """Lay a row of areas along the shorter side of a box; return their boxes and the rest of it."""
    found = []
    if box.width >= box.height:
        depth = min(row / box.height, box.width) if box.height else 0.0
        y = box.y
        for area in areas:
            height = area / depth if depth else 0.0
            found.append(Box(box.x, y, depth, height))
            y += height
        return found, Box(box.x + depth, box.y, box.width - depth, box.height)
    depth = min(row / box.width, box.height)
    x = box.x
    for area in areas:
        width = area / depth if depth else 0.0
        found.append(Box(x, box.y, width, depth))
        x += width
    return found, Box(box.x, box.y + depth, box.width, box.height - depth)
