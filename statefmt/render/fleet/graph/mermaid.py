"""Renders the graph of an index as a Mermaid flowchart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.render.fleet.graph.labels import about, short_names
from statefmt.render.graph.mermaid import mermaid_label

if TYPE_CHECKING:
    # The command that makes them has imported them.
    from statefmt.fleet import FleetGraph


def fleet_graph_mermaid(graph: FleetGraph) -> str:
    """Render the graph; states that are not in the index are red, and stale references are dotted."""
    names = short_names(graph)
    ids = {state_id: f"n{number}" for number, state_id in enumerate(graph.nodes)}
    lines = ["flowchart RL"]
    lines += [
        f"  {ids[state_id]}[{mermaid_label(names[state_id], about(node))}]" for state_id, node in graph.nodes.items()
    ]
    lines += [f"  {ids[one.source]} {'-.->' if one.stale else '-->'} {ids[one.target]}" for one in graph.references]
    missing = [ids[state_id] for state_id, node in graph.nodes.items() if node.is_lost]
    if missing:
        lines += ["  classDef missing stroke:red,stroke-dasharray:5", f"  class {','.join(missing)} missing"]
    return "\n".join(lines)
