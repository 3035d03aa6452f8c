"""Renders dependency graphs as trees of text, for a terminal.

A graph has far more paths than edges, so each node is listed with the nodes below it only once: where it is nearest to
a root. Other places refer there, which also ends cycles. Nothing here recurses.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from statefmt.analysis.dependencies import DependencyGraph, Node, edges_down, edges_up
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal

# Deeper nodes start again at the left: the indentation of a long chain would grow with the square of its length.
_DEEPEST: Final = 12
_CONTINUED: Final = " (continued below)"
_ELSEWHERE: Final = " (*)"
_NOTE: Final = "(*) listed with its {} elsewhere in this tree"


def graph_tree(
    graph: DependencyGraph, focus: Collection[str], terminal: Terminal, *, up: bool, implied: bool
) -> Iterator[str]:
    """Yield the lines of the graph as trees of dependencies or, if `up`, of dependents.

    The roots are the nodes in `focus` or, if there are none, those that no other node leads to. `implied` follows
    edges that others imply, too.
    """
    edges = (edges_up if up else edges_down)(graph, implied=implied)
    roots, above = _spanning(edges, [text for text in graph.nodes if text in focus])
    waiting = deque(roots)
    refers = False
    while waiting:
        root = waiting.popleft()
        yield terminal.paint(_label(root, graph.nodes[root]), "bold")
        levels = [("", iter(_marked_last(edges[root])), root)]
        while levels:
            indent, children, parent = levels[-1]
            child, is_last = next(children, ("", True))
            if not child:
                levels.pop()
                continue
            line = f"{indent}{'└── ' if is_last else '├── '}{_label(child, graph.nodes[child])}"
            if not edges[child]:
                yield line
            elif above.get(child) != parent:
                refers = True
                yield line + _ELSEWHERE
            elif len(levels) >= _DEEPEST:
                waiting.append(child)
                yield line + _CONTINUED
            else:
                yield line
                below = indent + ("    " if is_last else "│   ")
                levels.append((below, iter(_marked_last(edges[child])), child))
    if refers:
        yield ""
        yield _NOTE.format("dependents" if up else "dependencies")


def _marked_last(texts: Sequence[str]) -> list[tuple[str, bool]]:
    return [(text, place == len(texts)) for place, text in enumerate(texts, 1)]


def _spanning(edges: Mapping[str, Sequence[str]], roots: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return all roots, and the parent below which each other node is expanded: the first on a shortest path."""
    starts: list[str] = []
    if not roots:
        entered = {target for source, targets in edges.items() for target in targets if target != source}
        roots = [text for text in edges if text not in entered]
        # Then only cycles are left that nothing leads to.
        starts = list(edges)
    found: list[str] = []
    above: dict[str, str] = {}
    seen: set[str] = set()
    for group in (roots, *([start] for start in starts)):
        queue = deque(text for text in group if text not in seen)
        found += queue
        seen.update(queue)
        while queue:
            node = queue.popleft()
            for target in edges[node]:
                if target not in seen:
                    seen.add(target)
                    above[target] = node
                    queue.append(target)
    return found, above


def _label(text: str, node: Node) -> str:
    if node.is_missing:
        return f"{printable(text)} (not in the state)"
    return printable(text) + (f" ({node.instances:,} instances)" if node.instances not in (None, 1) else "")
