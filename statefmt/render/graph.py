"""Prints graphs of dependencies, and of the references between states, as text, DOT, Mermaid and JSON."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Final

from statefmt.analysis.dependencies import DependencyGraph, Node, edges_down, edges_up
from statefmt.model.addrs import Module, ResourceMode
from statefmt.render.json_output import document
from statefmt.render.terminal import Terminal, counted
from statefmt.text import pattern, printable

if TYPE_CHECKING:
    # Graphs of one state need no index.
    from statefmt.fleet import FleetGraph, FleetNode


# Renders dependency graphs as text trees, for a terminal.
# A graph has far more paths than edges, so each node is expanded only once: where it is nearest to a root. Other
# occurrences refer to that one, which also ends cycles. Nothing here recurses.

# Deeper nodes start again at the left: the indentation of a long chain would grow with the square of its length.
_DEEPEST_BRANCH: Final = 12
_CONTINUED: Final = " (continued below)"
_ELSEWHERE: Final = " (*)"
_NOTE: Final = "(*) listed with its {} elsewhere in this tree"


def graph_tree(
    graph: DependencyGraph, focus: Collection[str], terminal: Terminal, *, up: bool, implied: bool
) -> Iterator[str]:
    """Yield the lines of the graph as trees of dependencies or, if `up`, of dependents.

    The roots are the nodes in `focus` or, if it is empty, the nodes without a predecessor. `implied` includes edges
    that others imply.
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
            elif len(levels) >= _DEEPEST_BRANCH:
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
        # Only cycles without a predecessor are left now.
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


def graph_json(graph: DependencyGraph, focus: Collection[str]) -> bytes:
    """Render nodes and edges (schema: `graph-output.schema.json`)."""
    return document(
        nodes=[_node(text, node, text in focus) for text, node in graph.nodes.items()],
        edges=[
            {"from": source, "to": target, "implied": (source, target) in graph.implied}
            for source, targets in graph.edges.items()
            for target in targets
        ],
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


# Renders dependency graphs in Graphviz's DOT language.
# Source: the grammar at https://graphviz.org/doc/info/lang.html.


def graph_dot(graph: DependencyGraph, focus: Collection[str], *, implied: bool) -> str:
    """Render the graph, with modules as clusters. `focus` holds the selected nodes; `implied` draws all edges."""
    lines = ["digraph state {", '  rankdir = "RL"', '  node [shape = "box"]', *_dot_clusters(graph, focus)]
    for source, targets in edges_down(graph, implied=implied).items():
        lines += (f"  {dot_quoted(source)} -> {dot_quoted(target)}" for target in targets)
    return "\n".join([*lines, "}"])


def dot_quoted(text: str) -> str:
    """Quote a DOT string.

    Strings need escapes only for quotes, but in labels a backslash starts an escape: it is doubled everywhere, so
    that each node has one name.
    """
    return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot_label(*lines: str) -> str:
    """Quote a label, with line breaks between the lines. Graphviz decodes HTML entities there, so `&` is escaped."""
    return '"' + "\\n".join(dot_quoted(line.replace("&", "&amp;"))[1:-1] for line in lines) + '"'


def _dot_clusters(graph: DependencyGraph, focus: Collection[str]) -> Iterator[str]:
    for indent, part in _clusters(graph):
        if part is None:
            yield f"{indent}}}"
        elif isinstance(part, Module):
            yield f"{indent}subgraph {dot_quoted(f'cluster_{part}')} {{"
            yield f"{indent}  label = {dot_label(str(part))}"
        else:
            text = str(part.addr)
            yield f"{indent}  {dot_quoted(text)} [{', '.join(_attributes(text, part, focus))}]"


def _attributes(text: str, node: Node, focus: Collection[str]) -> Iterator[str]:
    yield f"label = {dot_label(*_label_lines(node))}"
    if node.is_missing:
        yield 'style = "dashed"'
        yield 'color = "red"'
    elif node.addr.resource.mode is ResourceMode.DATA:
        yield 'style = "rounded"'
    if text in focus:
        yield "penwidth = 3"


# Renders dependency graphs in Graphviz's DOT language.
# Source: the grammar at https://graphviz.org/doc/info/lang.html.

# Mermaid's default of maxEdges.
MOST_EDGES: Final = 500
# Quotes, entities, tags, backticks for Markdown in labels, and line breaks written as \n.
_SPECIAL: Final = pattern(r'["#&;<>`\\]')
_MISSING: Final = "stroke:red,stroke-dasharray:5"


def graph_mermaid(graph: DependencyGraph, focus: Collection[str], *, implied: bool) -> str:
    """Render the graph, with modules as subgraphs. `focus` holds the selected nodes; `implied` draws all edges."""
    ids = {text: f"n{number}" for number, text in enumerate(graph.nodes)}
    lines = ["flowchart RL", *_mermaid_clusters(graph, ids)]
    for source, targets in edges_down(graph, implied=implied).items():
        lines += (f"  {ids[source]} --> {ids[target]}" for target in targets)
    lines += _mermaid_class("missing", _MISSING, [ids[text] for text, node in graph.nodes.items() if node.is_missing])
    lines += _mermaid_class("focus", "stroke-width:4px", [ids[text] for text in graph.nodes if text in focus])
    return "\n".join(lines)


def _mermaid_class(name: str, style: str, ids: Sequence[str]) -> list[str]:
    return [f"  classDef {name} {style}", f"  class {','.join(ids)} {name}"] if ids else []


def mermaid_label(*lines: str) -> str:
    """Quote the text of a node or a subgraph, with line breaks between the lines."""
    return '"' + "<br/>".join(_SPECIAL.sub(lambda match: f"#{ord(match[0])};", printable(line)) for line in lines) + '"'


def _mermaid_clusters(graph: DependencyGraph, ids: Mapping[str, str]) -> Iterator[str]:
    modules = 0
    for indent, part in _clusters(graph):
        if part is None:
            yield f"{indent}end"
        elif isinstance(part, Module):
            yield f"{indent}subgraph m{modules}[{mermaid_label(str(part))}]"
            modules += 1
        else:
            shape = "({})" if part.addr.resource.mode is ResourceMode.DATA else "[{}]"
            yield f"{indent}  {ids[str(part.addr)]}{shape.format(mermaid_label(*_label_lines(part)))}"


# Each cluster has its whole path as label: drawing all of a path would take the square of its length.
_DEEPEST_CLUSTER: Final = 50


def _clusters(graph: DependencyGraph) -> Iterator[tuple[str, Module | Node | None]]:
    """Yield the resources module by module, each module inside its caller, down to a maximum depth.

    A module begins with itself and ends with None. The indentation follows the enclosing module.
    """
    found: dict[tuple[str, ...], list[Node]] = {(): []}
    for node in graph.nodes.values():
        names = node.addr.module.names
        for depth in range(1, min(len(names), _DEEPEST_CLUSTER)):
            found.setdefault(names[:depth], [])
        found.setdefault(names, []).append(node)
    depth = 0
    # In this order, every path follows its prefixes and their resources directly.
    for path in sorted(found):
        here = min(len(path), _DEEPEST_CLUSTER)
        while path and depth >= here:
            yield "  " * depth, None
            depth -= 1
        if path:
            depth = here
            yield "  " * depth, Module(path)
        yield from (("  " * depth, node) for node in found[path])
    while depth:
        yield "  " * depth, None
        depth -= 1


def _label_lines(node: Node) -> list[str]:
    """Return the label of a node: the resource within its module, and its special properties."""
    lines = [printable(str(node.addr.resource))]
    if node.is_missing:
        lines.append("not in the state")
    elif node.instances not in (None, 1):
        lines.append(f"{node.instances:,} instances")
    return lines


def fleet_graph_text(graph: FleetGraph, terminal: Terminal) -> Iterator[str]:
    """Yield a line for each state, followed by a line for each state that it reads."""
    by_source = {source: [*group] for source, group in groupby(graph.references, lambda one: one.source)}
    for state_id, node in graph.nodes.items():
        if not node.indexed:
            continue
        yield terminal.paint(printable(node.uri), "bold")
        for one in by_source.get(state_id, ()):
            stale = terminal.paint(f" ({one.stale})", "red") if one.stale else ""
            yield f"  reads {printable(graph.nodes[one.target].uri)}{stale}"
            yield from (f"    {printable(address)}" for address in one.addresses)


def fleet_graph_dot(graph: FleetGraph) -> str:
    """Render the graph; states that are not in the index, and stale references, are red and dashed."""
    names = short_names(graph)
    lines = ["digraph fleet {", '  rankdir = "RL"', '  node [shape = "box"]']
    for state_id, node in graph.nodes.items():
        marked = ', style = "dashed", color = "red"' if node.is_lost else ""
        lines.append(f"  {dot_quoted(node.uri)} [label = {dot_label(names[state_id], _about(node))}{marked}]")
    for one in graph.references:
        marked = ' [style = "dashed", color = "red"]' if one.stale else ""
        source, target = graph.nodes[one.source].uri, graph.nodes[one.target].uri
        lines.append(f"  {dot_quoted(source)} -> {dot_quoted(target)}{marked}")
    return "\n".join([*lines, "}"])


def fleet_graph_mermaid(graph: FleetGraph) -> str:
    """Render the graph; states that are not in the index are red, and stale references are dotted."""
    names = short_names(graph)
    ids = {state_id: f"n{number}" for number, state_id in enumerate(graph.nodes)}
    lines = ["flowchart RL"]
    lines += (f"  {ids[one]}[{mermaid_label(names[one], _about(node))}]" for one, node in graph.nodes.items())
    lines += [f"  {ids[one.source]} {'-.->' if one.stale else '-->'} {ids[one.target]}" for one in graph.references]
    lost = [ids[state_id] for state_id, node in graph.nodes.items() if node.is_lost]
    return "\n".join([*lines, *_mermaid_class("missing", _MISSING, lost)])


def fleet_graph_json(graph: FleetGraph) -> bytes:
    """Render states and references (schema: `fleet-graph-output.schema.json`)."""
    uris = {state_id: node.uri for state_id, node in graph.nodes.items()}
    return document(
        states=[
            {"uri": node.uri, "indexed": node.indexed, "resources": node.resources, "error": node.error}
            for node in graph.nodes.values()
        ],
        references=[
            {"from": uris[one.source], "to": uris[one.target], "addresses": list(one.addresses), "stale": one.stale}
            for one in graph.references
        ],
        unknown=[{"from": uris[one.source], "address": one.address, "backend": one.backend} for one in graph.unknown],
    )


def short_names(graph: FleetGraph) -> dict[str, str]:
    """Return the locations of states by state_id, without the folders common to all indexed states."""
    shared = _shared(node.uri for node in graph.nodes.values() if node.indexed)
    return {state_id: node.uri.removeprefix(shared) for state_id, node in graph.nodes.items()}


def _about(node: FleetNode) -> str:
    if not node.indexed:
        return "not in the index"
    return "cannot be read" if node.error is not None else counted(node.resources, "resource")


def _shared(uris: Iterable[str]) -> str:
    parts = [uri.split("/")[:-1] for uri in uris]
    if len(parts) < 2:
        return ""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(parts), max(parts), strict=False))
    return "".join(f"{part}/" for part, _ in same)
