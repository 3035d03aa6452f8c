"""Renders the graph of an index as text: each state that reads others, and what it reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal

if TYPE_CHECKING:
    # The command that makes them has imported them.
    from statefmt.fleet import FleetGraph


def fleet_graph_text(graph: FleetGraph, terminal: Terminal) -> Iterator[str]:
    """Yield a line for each state, and below it one for each state that it reads."""
    by_source = {source: [*group] for source, group in groupby(graph.references, lambda one: one.source)}
    for state_id, node in graph.nodes.items():
        if not node.indexed:
            continue
        yield terminal.paint(printable(node.uri), "bold")
        for one in by_source.get(state_id, ()):
            stale = terminal.paint(f" ({one.stale})", "red") if one.stale else ""
            yield f"  reads {printable(graph.nodes[one.target].uri)}{stale}"
            yield from (f"    {printable(address)}" for address in one.addresses)
