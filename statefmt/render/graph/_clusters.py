"""Groups the resources of a graph by module, as pictures draw them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from statefmt.analysis.dependencies import DependencyGraph, Node
from statefmt.model.addrs import Module
from statefmt.render.printable import printable

# Each cluster is labelled with its whole path: drawing all of a path would take the square of its length.
_DEEPEST: Final = 50


class Opening(NamedTuple):
    """The beginning of a module; `depth` is 1 for a module that the root module calls."""

    module: Module
    depth: int


class Closing(NamedTuple):
    """The end of a module."""

    depth: int


class ClusterLeaf(NamedTuple):
    """A resource, with the number of modules that enclose it."""

    text: str
    node: Node
    depth: int


def clusters(graph: DependencyGraph) -> Iterator[Opening | ClusterLeaf | Closing]:
    """Yield the resources module by module, each module inside the one that calls it, down to some depth."""
    found: dict[tuple[str, ...], dict[str, Node]] = {(): {}}
    for text, node in graph.nodes.items():
        names = node.addr.module.names
        for depth in range(1, min(len(names), _DEEPEST)):
            found.setdefault(names[:depth], {})
        found.setdefault(names, {})[text] = node
    depth = 0
    # In this order, every path comes right after its prefixes and their resources.
    for path in sorted(found):
        here = min(len(path), _DEEPEST)
        while path and depth >= here:
            yield Closing(depth)
            depth -= 1
        if path:
            depth = here
            yield Opening(Module(path), depth)
        for text, node in found[path].items():
            yield ClusterLeaf(text, node, depth)
    while depth:
        yield Closing(depth)
        depth -= 1


def label_lines(node: Node) -> list[str]:
    """Return the label of a node: the resource within its module, and what is special about it."""
    lines = [printable(str(node.addr.resource))]
    if node.is_missing:
        lines.append("not in the state")
    elif node.instances not in (None, 1):
        lines.append(f"{node.instances:,} instances")
    return lines
