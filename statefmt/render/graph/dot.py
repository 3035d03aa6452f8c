"""Renders dependency graphs in Graphviz's DOT language.

Source: the grammar at https://graphviz.org/doc/info/lang.html.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from statefmt.analysis.dependencies import DependencyGraph, Node
from statefmt.model.addrs import ResourceMode
from statefmt.render.graph._clusters import Closing, Opening, clusters, label_lines
from statefmt.render.printable import printable


def graph_dot(graph: DependencyGraph, focus: Collection[str], *, implied: bool) -> str:
    """Render the graph, with modules as clusters. `focus` holds the selected nodes; `implied` draws all edges."""
    lines = ["digraph state {", '  rankdir = "RL"', '  node [shape = "box"]']
    lines += _clusters(graph, focus)
    for source, targets in graph.edges.items():
        lines += (
            f"  {dot_quoted(source)} -> {dot_quoted(target)}"
            for target in targets
            if implied or (source, target) not in graph.implied
        )
    return "\n".join([*lines, "}"])


def dot_quoted(text: str) -> str:
    """Quote a DOT string.

    Strings only need escapes for quotes, but in labels a backslash starts an escape: it is doubled everywhere, so that
    a node has one name.
    """
    return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot_label(*lines: str) -> str:
    """Quote a label, with line breaks between the lines. Graphviz decodes HTML entities there, so `&` is escaped."""
    return '"' + "\\n".join(dot_quoted(line.replace("&", "&amp;"))[1:-1] for line in lines) + '"'


def _clusters(graph: DependencyGraph, focus: Collection[str]) -> Iterator[str]:
    for part in clusters(graph):
        indent = "  " * part.depth
        if isinstance(part, Opening):
            module = str(part.module)
            yield f"{indent}subgraph {dot_quoted('cluster_' + module)} {{"
            yield f"{indent}  label = {dot_label(module)}"
        elif isinstance(part, Closing):
            yield f"{indent}}}"
        else:
            attributes = ", ".join(_attributes(part.text, part.node, focus))
            yield f"{indent}  {dot_quoted(part.text)} [{attributes}]"


def _attributes(text: str, node: Node, focus: Collection[str]) -> Iterator[str]:
    yield f"label = {dot_label(*label_lines(node))}"
    if node.is_missing:
        yield 'style = "dashed"'
        yield 'color = "red"'
    elif node.addr.resource.mode is ResourceMode.DATA:
        yield 'style = "rounded"'
    if text in focus:
        yield "penwidth = 3"
