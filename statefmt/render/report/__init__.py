"""Renders reports in HTML: self-contained files for a browser without a network, with a treemap and a graph."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

import jinja2
import msgspec
from markupsafe import Markup

from statefmt.analysis.statistics import LargeInstance
from statefmt.golang import escape_html
from statefmt.model.errors import StoreError
from statefmt.render.terminal import ROOT, counted, printable_lines, size_text
from statefmt.store.files import read_bounded
from statefmt.store.local.store import create_file, replace_file
from statefmt.store.reading import display_name
from statefmt.version import __version__

_TEMPLATES: Final = "templates"
# Runs before the rows are parsed: rows that the script of the page removes are never laid out.
_FIRST_SCRIPT: Final = 'document.documentElement.classList.add("scripted");'


def page(template: str, name: str, made: datetime, values: Mapping[str, object]) -> bytes:
    """Fill a template with the subject of the page, the time, and values; adds the style and script of reports."""
    style, script = _asset("report.css"), _asset("report.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(_FIRST_SCRIPT)}' '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        finalize=_printable,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"embedded": embedded, "size": size_text, "number": _number}
    found = environment.get_template(template).render(
        # All are part of this package and contain no data from a state.
        style=Markup(style),
        first_script=Markup(_FIRST_SCRIPT),
        script=Markup(script),
        policy=policy,
        name=name,
        made=made.strftime("%Y-%m-%d %H:%M %Z").strip(),
        program=f"statetool {__version__}",
        **values,
    )
    return found.encode()


def embedded(value: object) -> Markup:
    """Encode a value as JSON that cannot end its HTML element."""
    return Markup(escape_html(msgspec.json.encode(value)).decode())


def _asset(name: str) -> str:
    return (files(__package__) / _TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the source expression of Content Security Policy for an inline element with this text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _printable(value: object) -> object:
    """Escape characters that could mislead a reader; browsers apply bidirectional controls, too."""
    return printable_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _number(value: int) -> str:
    return f"{value:,}"


# The beginning of every report.
_START: Final = b'<!doctype html>\n<html lang="en" data-report="statetool">'
_MOST: Final = 1 << 30


def write_report(path: str, report: bytes) -> None:
    """Write a report to a new file with mode 0600, or replace an earlier report, atomically. Raises StoreError.

    Never overwrites any other file, such as a state.
    """
    place = Path(path)
    if not place.is_file():
        create_file(place, report)
        return
    try:
        earlier = read_bounded(place, _MOST, links=False)
    except OSError as error:
        raise StoreError(f"{display_name(path)}: {error.strerror}; the report was not written") from error
    if not earlier.startswith(_START):
        raise StoreError(f"{display_name(path)}: the file exists and is not a report; name another file")
    replace_file(place, report)


WIDTH: Final = 1000
HEIGHT: Final = 520
_MOST_MODULES: Final = 40
_MOST_RESOURCES: Final = 400
_HEADING: Final = 18
_MARGIN: Final = 2
_BOX_CHARACTER: Final = 6.6
_LINE: Final = 15


class Cell(NamedTuple):
    """A resource in the drawing; `label` is "" if there is no room for one."""

    box: Box
    name: str
    bytes: int
    label: str


class Area(NamedTuple):
    """A module in the drawing, with its resources."""

    box: Box
    name: str
    bytes: int
    label: str
    cells: tuple[Cell, ...]


class _Part(NamedTuple):
    name: str
    bytes: int


def areas(instances: Sequence[LargeInstance]) -> tuple[Area, ...]:
    """Return the modules by size. Small modules and small resources are one area, and one cell in each module."""
    modules: dict[str, dict[str, int]] = {}
    for instance in instances:
        resource = instance.addr.containing_resource()
        resources = modules.setdefault(str(resource.module) or ROOT, {})
        name = str(resource)
        resources[name] = resources.get(name, 0) + instance.bytes
    return grouped_areas(modules, "module", "resource")


def grouped_areas(groups: Mapping[str, Mapping[str, int]], group_noun: str, noun: str) -> tuple[Area, ...]:
    """Return groups of sizes by their sums, as areas() does; the nouns name groups and entries that are too small."""
    ranked = sorted(groups.items(), key=lambda item: -sum(item[1].values()))
    shown, rest = ranked[:_MOST_MODULES], ranked[_MOST_MODULES:]
    least = _least([size for _, sizes in shown for size in sizes.values()])
    parts = [(name, _parts(sizes, least, noun)) for name, sizes in shown]
    if rest:
        name = counted(len(rest), f"smaller {group_noun}")
        parts.append((name, [_Part(name, sum(sum(sizes.values()) for _, sizes in rest))]))
        parts.sort(key=lambda part: -_total(part[1]))
    parts = [part for part in parts if _total(part[1])]
    boxes = squarified([_total(sizes) for _, sizes in parts], Box(0, 0, WIDTH, HEIGHT))
    return tuple(_area(name, sizes, box) for (name, sizes), box in zip(parts, boxes, strict=True))


def _least(sizes: list[int]) -> int:
    """Return the size that a resource needs for a cell of its own."""
    sizes.sort(reverse=True)
    return sizes[_MOST_RESOURCES] + 1 if len(sizes) > _MOST_RESOURCES else 1


def _parts(resources: Mapping[str, int], least: int, noun: str) -> list[_Part]:
    large = [_Part(name, size) for name, size in resources.items() if size >= least]
    small = [size for size in resources.values() if size < least]
    if sum(small):
        large.append(_Part(counted(len(small), f"smaller {noun}"), sum(small)))
    return sorted(large, key=lambda part: -part.bytes)


def _total(parts: Sequence[_Part]) -> int:
    return sum(part.bytes for part in parts)


def _area(name: str, parts: Sequence[_Part], box: Box) -> Area:
    label = _fitted(name, box) if box.height > 2 * _HEADING else ""
    inner = box.inside(_MARGIN, _HEADING if label else _MARGIN)
    boxes = squarified([part.bytes for part in parts], inner)
    cells = (
        Cell(cell, part.name, part.bytes, _fitted(part.name.removeprefix(f"{name}.").removeprefix(f"{name}/"), cell))
        for part, cell in zip(parts, boxes, strict=True)
    )
    return Area(box, name, _total(parts), label, tuple(cells))


def _fitted(name: str, box: Box) -> str:
    """Return as much of a name as fits into the box; "" if too little fits."""
    most = int((box.width - 6) / _BOX_CHARACTER)
    if box.height < _LINE or most < 4:
        return ""
    return name if len(name) <= most else f"{name[: most - 1]}…"


# Divides a rectangle among sizes, as nearly into squares as possible.
# Source: Bruls, Huizing, van Wijk: Squarified Treemaps (2000).


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
    """Place a row of areas along the shorter side of a box; return their boxes and the rest of the box."""
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


_ROW: Final = 34
_NODE: Final = 24
_COLUMN_GAP: Final = 70
_NODE_CHARACTER: Final = 7.3
_PADDING: Final = 20
_LONGEST: Final = 44


class DrawnNode(NamedTuple):
    """A node with its position in the drawing."""

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
    """Place nodes, given their labels and dependencies; cycles are allowed. Meant for up to 100 nodes."""
    columns = _columns(edges)
    nodes: dict[str, DrawnNode] = {}
    x = 1.0
    for column in columns:
        texts = {name: _shortened(labels[name]) for name in column}
        width = max(len(text) for text in texts.values()) * _NODE_CHARACTER + _PADDING
        for row, name in enumerate(_ordered(column, edges, nodes)):
            nodes[name] = DrawnNode(name, texts[name], x, row * _ROW + 4, width, _NODE)
        x += width + _COLUMN_GAP
    lines = [(source, target, *_path(nodes[source], nodes[target])) for source in edges for target in edges[source]]
    height = max([len(column) * _ROW for column in columns] + [lowest + 4 for *_, lowest in lines], default=0)
    edge_paths = tuple(DrawnEdge(source, target, path) for source, target, path, _ in lines)
    return Drawing(max(0.0, x - _COLUMN_GAP + 1), height, tuple(nodes.values()), edge_paths)


def _columns(edges: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the nodes by their longest path from a node without dependents."""
    waiting = dict.fromkeys(edges, 0)
    for source, targets in edges.items():
        for target in targets:
            waiting[target] += target != source
    column = dict.fromkeys(edges, 0)
    while waiting:
        # In a cycle, every node waits: the first one precedes the others.
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
    """Sort a column by the mean height of the dependents of each node, so that fewer lines cross."""
    heights: dict[str, list[float]] = {name: [] for name in column}
    for source, node in placed.items():
        for target in edges[source]:
            if target in heights:
                heights[target].append(node.y)
    return sorted(column, key=lambda name: sum(heights[name]) / len(heights[name]) if heights[name] else 0.0)


def _path(source: DrawnNode, target: DrawnNode) -> tuple[str, float]:
    """Return the path of an edge, and its lowest point. It passes below the nodes that a straight line would cross."""
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
