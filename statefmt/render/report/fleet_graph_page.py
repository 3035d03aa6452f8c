"""Renders the graph of an index as a page: drawn whole or by folder, with a search for a state and its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from statefmt.fleet import FleetGraph
from statefmt.render.fleet.graph.labels import short_names
from statefmt.render.printable import printable
from statefmt.render.report._environment import page
from statefmt.render.report._layers import Drawing, drawn

_MOST_NODES: Final = 80


class FleetDrawing(NamedTuple):
    """A drawing of states or, if `folders`, of their folders; the `omitted` ones are too many to be drawn.

    `stale` has the pairs of nodes that a stale reference joins, `missing` the states that are not in the index or
    cannot be read.
    """

    drawing: Drawing
    folders: bool
    omitted: int
    stale: frozenset[tuple[str, str]]
    missing: frozenset[str]


class DrawnGraph(NamedTuple):
    """A graph of states for a page: the drawing, and what its script needs to find states."""

    overview: FleetDrawing
    uris: Mapping[str, str]
    places: Mapping[str, int]
    data: Mapping[str, object]


def fleet_graph_page(graph: FleetGraph, name: str, made: datetime) -> bytes:
    """Render the page of a graph in HTML, given the name of its index and the time."""
    stale = [one for one in graph.references if one.stale]
    return page("fleet_graph.html", name, made, {"graph": graph, "drawn": drawn_graph(graph), "stale": stale})


def drawn_graph(graph: FleetGraph) -> DrawnGraph:
    """Draw a graph, with the data for the search."""
    place = {state_id: number for number, state_id in enumerate(graph.nodes)}
    lost = [place[state_id] for state_id, node in graph.nodes.items() if node.is_lost]
    uris = {state_id: node.uri for state_id, node in graph.nodes.items()}
    data = {
        "names": [printable(uri) for uri in uris.values()],
        "missing": lost,
        "edges": [(place[one.source], place[one.target]) for one in graph.references],
    }
    return DrawnGraph(fleet_drawing(graph), uris, place, data)


def fleet_drawing(graph: FleetGraph) -> FleetDrawing:
    """Draw the states that others read or that read others; if these are too many, their folders."""
    names = {state_id: printable(name) for state_id, name in short_names(graph.joined()).items()}
    group = dict(zip(names, names, strict=True))
    labels, omitted = names, 0
    if folders := len(names) > _MOST_NODES:
        group, sizes = _folders(names)
        shown = sorted(sizes, key=lambda folder: -sizes[folder])[:_MOST_NODES]
        omitted = len(sizes) - len(shown)
        labels = {folder: f"{folder} ({sizes[folder]:,})" for folder in shown}
    edges: dict[str, dict[str, None]] = {node: {} for node in labels}
    stale = set()
    for one in graph.references:
        source, target = group[one.source], group[one.target]
        if source != target and source in labels and target in labels:
            edges[source][target] = None
            if one.stale:
                stale.add((source, target))
    missing = {group[state_id] for state_id in names if graph.nodes[state_id].is_lost} if not folders else set()
    return FleetDrawing(
        drawing=_drawn(labels, edges),
        folders=folders,
        omitted=omitted,
        stale=frozenset(stale),
        missing=frozenset(missing),
    )


def _folders(names: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """Return the first folder of each state, and the number of states in each."""
    group: dict[str, str] = {}
    sizes: dict[str, int] = {}
    for state_id, name in names.items():
        folder = name.lstrip("/").partition("/")[0]
        group[state_id] = folder
        sizes[folder] = sizes.get(folder, 0) + 1
    return group, sizes


def _drawn(labels: Mapping[str, str], edges: Mapping[str, Mapping[str, None]]) -> Drawing:
    targets: dict[str, Sequence[str]] = {source: [*found] for source, found in edges.items()}
    return drawn(labels, targets)
