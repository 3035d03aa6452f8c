"""Renders dependency graphs as JSON."""

from __future__ import annotations

from collections.abc import Collection

from statefmt.analysis.dependencies import DependencyGraph, Node
from statefmt.render.json_output import document


def graph_json(graph: DependencyGraph, focus: Collection[str]) -> bytes:
    """Render nodes and edges (schema: `graph-output.schema.json`)."""
    return document(
        {
            "nodes": [_node(text, node, text in focus) for text, node in graph.nodes.items()],
            "edges": [
                {"from": source, "to": target, "implied": (source, target) in graph.implied}
                for source, targets in graph.edges.items()
                for target in targets
            ],
        }
    )


def _node(text: str, node: Node, focus: bool) -> dict[str, object]:
    resource = node.addr.resource
    return {
        "address": text,
        "module": str(node.addr.module),
        "mode": resource.mode.value,
        "type": resource.type,
        "name": resource.name,
        "instances": node.instances or 0,
        "missing": node.is_missing,
        "focus": focus,
    }
