"""Draws the sizes in a state as a treemap: modules, and the resources in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from statefmt.analysis.statistics import LargeInstance
from statefmt.render.counted import counted
from statefmt.render.printable import ROOT
from statefmt.render.report._treemap import Box, squarified

WIDTH: Final = 1000
HEIGHT: Final = 520
_MOST_MODULES: Final = 40
_MOST_RESOURCES: Final = 400
_HEADING: Final = 18
_MARGIN: Final = 2
_CHARACTER: Final = 6.6
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
    """Return groups of sizes by their sums, as areas() does; the nouns name what is too small."""
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
    """Return as much of a name as the box has room for; "" if that says nothing."""
    most = int((box.width - 6) / _CHARACTER)
    if box.height < _LINE or most < 4:
        return ""
    return name if len(name) <= most else f"{name[: most - 1]}…"
