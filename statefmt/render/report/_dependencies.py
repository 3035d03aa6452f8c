"""Prepares the dependency graph of a state for a page: drawn whole or by group, and as data for the search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from statefmt.analysis.dependencies import DependencyGraph, Node, edges_down
from statefmt.render.printable import ROOT, printable
from statefmt.render.report._layers import Drawing, drawn

_MOST_NODES: Final = 80


class Overview(NamedTuple):
    """A drawing of a graph; `groups` names what its nodes are if they are not resources, else it is "".

    `omitted` counts the groups that are too many to be drawn, `apart` the nodes that no edge leads to or from.
    """

    drawing: Drawing
    groups: str
    omitted: int
    apart: int


class GraphData(NamedTuple):
    """The graph for the script of a page: addresses, and the edges as pairs of their places."""

    names: list[str]
    missing: list[int]
    edges: list[tuple[int, int]]


def overview(graph: DependencyGraph) -> Overview:
    """Draw all resources, or if there are too many of them, modules, or if there is only one module, types.

    Dependencies that others imply are omitted.
    """
    edges = edges_down(graph)
    if len(graph.nodes) <= _MOST_NODES:
        return _overview({name: printable(name) for name in graph.nodes}, edges, "", 0)
    groups, found = "modules", _grouped(graph.nodes, edges, _module)
    if len(found) == 1:
        groups, found = "types", _grouped(graph.nodes, edges, _type)
    shown = dict(sorted(found.items(), key=lambda item: -len(item[1].resources))[:_MOST_NODES])
    labels = {name: f"{printable(name)} ({len(group.resources):,})" for name, group in shown.items()}
    kept = {name: [target for target in group.targets if target in shown] for name, group in shown.items()}
    return _overview(labels, kept, groups, len(found) - len(shown))


def _overview(labels: Mapping[str, str], edges: Mapping[str, Sequence[str]], groups: str, omitted: int) -> Overview:
    joined = {name for source, targets in edges.items() if targets for name in (source, *targets)}
    drawing = drawn(labels, {name: targets for name, targets in edges.items() if name in joined})
    return Overview(drawing, groups, omitted, len(labels) - len(joined))


def graph_data(graph: DependencyGraph) -> GraphData:
    """Return the whole graph without the dependencies that others imply."""
    place = {name: number for number, name in enumerate(graph.nodes)}
    missing = [place[name] for name, node in graph.nodes.items() if node.is_missing]
    edges = [(place[source], place[target]) for source, targets in edges_down(graph).items() for target in targets]
    return GraphData([printable(name) for name in graph.nodes], missing, edges)


class _Group(NamedTuple):
    resources: list[str]
    targets: dict[str, None]


def _grouped(
    nodes: Mapping[str, Node], edges: Mapping[str, list[str]], group_of: Callable[[Node], str]
) -> dict[str, _Group]:
    of = {name: group_of(node) for name, node in nodes.items()}
    found: dict[str, _Group] = {}
    for name, group in of.items():
        into = found.setdefault(group, _Group([], {}))
        into.resources.append(name)
        into.targets.update((of[target], None) for target in edges[name] if of[target] != group)
    return found


def _module(node: Node) -> str:
    names = node.addr.module.names
    return f"module.{names[0]}" if names else ROOT


def _type(node: Node) -> str:
    return node.addr.resource.type
