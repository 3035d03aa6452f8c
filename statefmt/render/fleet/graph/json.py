"""Renders the graph of an index as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.render.json_output import document

if TYPE_CHECKING:
    # The command that makes them has imported them.
    from statefmt.fleet import FleetGraph


def fleet_graph_json(graph: FleetGraph) -> bytes:
    """Render states and references (schema: `fleet-graph-output.schema.json`)."""
    uris = {state_id: node.uri for state_id, node in graph.nodes.items()}
    return document(
        {
            "states": [
                {"uri": node.uri, "indexed": node.indexed, "resources": node.resources, "error": node.error}
                for node in graph.nodes.values()
            ],
            "references": [
                {"from": uris[one.source], "to": uris[one.target], "addresses": list(one.addresses), "stale": one.stale}
                for one in graph.references
            ],
            "unknown": [
                {"from": uris[one.source], "address": one.address, "backend": one.backend} for one in graph.unknown
            ],
        }
    )
