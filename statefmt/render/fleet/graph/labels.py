"""Shortens the places of states for drawings, which have little room."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import TYPE_CHECKING

from statefmt.render.counted import counted

if TYPE_CHECKING:
    # The command that makes them has imported them.
    from statefmt.fleet import FleetGraph, FleetNode


def short_names(graph: FleetGraph) -> dict[str, str]:
    """Return the places of states by state_id, without the folders that all indexed states share."""
    shared = _shared(node.uri for node in graph.nodes.values() if node.indexed)
    return {state_id: node.uri.removeprefix(shared) for state_id, node in graph.nodes.items()}


def about(node: FleetNode) -> str:
    """Return what a drawing says about a state below its name."""
    if not node.indexed:
        return "not in the index"
    return "cannot be read" if node.error is not None else counted(node.resources, "resource")


def _shared(uris: Iterable[str]) -> str:
    parts = [uri.split("/")[:-1] for uri in uris]
    if len(parts) < 2:
        return ""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(parts), max(parts), strict=False))
    return "".join(f"{part}/" for part, _ in same)
