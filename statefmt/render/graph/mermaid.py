"""Renders dependency graphs as Mermaid flowcharts, which code hosts draw in Markdown.

Source: https://mermaid.js.org/syntax/flowchart.html; its entity codes keep any text out of the syntax.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from statefmt.analysis.dependencies import DependencyGraph
from statefmt.model.addrs import ResourceMode
from statefmt.render.graph._clusters import Closing, Opening, clusters, label_lines
from statefmt.render.printable import printable
from statefmt.text import pattern

# Mermaid's default of maxEdges.
MOST_EDGES: Final = 500
# Quotes, entities, tags, backticks for Markdown in labels, and line breaks written as \n.
_SPECIAL: Final = pattern(r'["#&;<>`\\]')


def graph_mermaid(graph: DependencyGraph, focus: Collection[str], *, implied: bool) -> str:
    """Render the graph, with modules as subgraphs. `focus` holds the selected nodes; `implied` draws all edges."""
    ids = {text: f"n{number}" for number, text in enumerate(graph.nodes)}
    lines = ["flowchart RL", *_clusters(graph, ids)]
    for source, targets in graph.edges.items():
        lines += (
            f"  {ids[source]} --> {ids[target]}"
            for target in targets
            if implied or (source, target) not in graph.implied
        )
    missing = [ids[text] for text, node in graph.nodes.items() if node.is_missing]
    if missing:
        lines += ["  classDef missing stroke:red,stroke-dasharray:5", f"  class {','.join(missing)} missing"]
    asked = [ids[text] for text in graph.nodes if text in focus]
    if asked:
        lines += ["  classDef focus stroke-width:4px", f"  class {','.join(asked)} focus"]
    return "\n".join(lines)


def mermaid_label(*lines: str) -> str:
    """Quote the text of a node or a subgraph, with line breaks between the lines."""
    return '"' + "<br/>".join(_SPECIAL.sub(lambda match: f"#{ord(match[0])};", printable(line)) for line in lines) + '"'


def _clusters(graph: DependencyGraph, ids: Mapping[str, str]) -> Iterator[str]:
    modules = 0
    for part in clusters(graph):
        indent = "  " * part.depth
        if isinstance(part, Opening):
            yield f"{indent}subgraph m{modules}[{mermaid_label(str(part.module))}]"
            modules += 1
        elif isinstance(part, Closing):
            yield f"{indent}end"
        else:
            shape = "({})" if part.node.addr.resource.mode is ResourceMode.DATA else "[{}]"
            yield f"{indent}  {ids[part.text]}{shape.format(mermaid_label(*label_lines(part.node)))}"
