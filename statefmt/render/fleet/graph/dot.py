"""Renders the graph of an index in Graphviz's DOT language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.render.fleet.graph.labels import about, short_names
from statefmt.render.graph.dot import dot_label, dot_quoted

if TYPE_CHECKING:
    # The command that makes them has imported them.
    from statefmt.fleet import FleetGraph


def fleet_graph_dot(graph: FleetGraph) -> str:
    """Render the graph; states that are not in the index, and stale references, are red and dashed."""
    names = short_names(graph)
    lines = ["digraph fleet {", '  rankdir = "RL"', '  node [shape = "box"]']
    for state_id, node in graph.nodes.items():
        marked = ', style = "dashed", color = "red"' if node.is_lost else ""
        lines.append(f"  {dot_quoted(node.uri)} [label = {dot_label(names[state_id], about(node))}{marked}]")
    for one in graph.references:
        marked = ' [style = "dashed", color = "red"]' if one.stale else ""
        lines.append(
            f"  {dot_quoted(graph.nodes[one.source].uri)} -> {dot_quoted(graph.nodes[one.target].uri)}{marked}"
        )
    return "\n".join([*lines, "}"])
