"""`statetool graph`: draws the dependencies between resources."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

from typer import BadParameter, Option

from statefmt import State
from statefmt.cli.command import declared, examples
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.selecting import criteria
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.outcome import FINE
from statefmt.cli.streams import result_terminal, say
from statefmt.graph import DependencyGraph, dependency_graph, part_of, reachable, reaching
from statefmt.locations import display_name
from statefmt.render.graph import MOST_EDGES, graph_dot, graph_json, graph_mermaid, graph_tree
from statefmt.selection import select
from statefmt.snapshots import CURRENT_VERSION, instances


class GraphFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    TREE = "tree"
    DOT = "dot"
    MERMAID = "mermaid"
    JSON = "json"


@examples(
    ("Show what a resource depends on, directly and through others.", "statetool graph --depends-on aws_instance.web"),
    ("Show what would be destroyed with a resource.", "statetool graph --dependents-of module.network.aws_vpc.main"),
    ("Draw the whole graph with Graphviz.", "statetool graph | dot -Tsvg -o graph.svg"),
)
@declared(paged=True, decrypts=True, connects=True)
def graph_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    depends_on: Annotated[
        list[str] | None,
        Option("--depends-on", "--from", metavar="SELECTOR", help="Only these resources and their dependencies."),
    ] = None,
    dependents_of: Annotated[
        list[str] | None,
        Option(
            "--dependents-of",
            "--to",
            metavar="SELECTOR",
            help="Only these resources and their dependents, which would be destroyed with them. "
            "With --depends-on: only the paths between both.",
        ),
    ] = None,
    depth: Annotated[
        int | None, Option(metavar="N", min=0, help="With --depends-on or --dependents-of: at most N steps.")
    ] = None,
    implied: Annotated[
        bool, Option("--implied", help="Also draw the edges that others imply; JSON always has them.")
    ] = False,
    output_format: Annotated[
        GraphFormat | None,
        Option(
            "--format",
            metavar="FORMAT",
            help="text or tree (the default on a terminal), dot (the default elsewhere), mermaid or json.",
        ),
    ] = None,
) -> int:
    """Show the dependencies between resources: as a tree, or for Graphviz and Mermaid, grouped by module.

    Trees and arrows lead from a resource to its dependencies; trees of --dependents-of alone to its dependents.
    Dependencies that others imply are omitted, and those that are not in the state are marked.
    """
    if depth is not None and not (depends_on or dependents_of):
        raise BadParameter("requires --depends-on or --dependents-of", param_hint="--depth")
    opened = opened_state(one_state(state, state_option))
    graph = dependency_graph(opened.snapshot)
    _note_older_format(opened, graph)
    starts, ends = _chosen(opened, graph, depends_on), _chosen(opened, graph, dependents_of)
    kept = set(graph.nodes)
    if depends_on:
        kept &= reachable(graph, starts, depth)
    if dependents_of:
        kept &= reaching(graph, ends, depth)
    graph = part_of(graph, kept)
    if output_format is None:
        output_format = GraphFormat.TEXT if sys.stdout.isatty() else GraphFormat.DOT
    if output_format in (GraphFormat.TEXT, GraphFormat.TREE):
        if not graph.nodes:
            nothing = "no dependency path leads from one to the other" if starts else "the state has no resources"
            say(f"statetool: {nothing}")
        # Between both, the trees start at the starts.
        for line in graph_tree(graph, starts or ends, result_terminal(), up=bool(ends) and not starts, implied=implied):
            print(line)
    else:
        sys.stdout.buffer.write(_written(graph, starts | ends, output_format, implied=implied))
    return FINE


def _chosen(state: State, graph: DependencyGraph, selectors: list[str] | None) -> set[str]:
    """Return the nodes that selectors name: first resources without keys, which need not be in the state."""
    found = {text for text in selectors or () if text in graph.nodes}
    for text in selectors or ():
        if text not in found:
            chosen = select(instances(state.snapshot), criteria([text]))
            found |= {str(instance.addr.config()) for instance in chosen}
    return found


def _note_older_format(state: State, graph: DependencyGraph) -> None:
    if state.version != CURRENT_VERSION and not any(graph.edges.values()):
        say(
            f"statetool: {display_name(state.location)}: the dependencies in format version {state.version} "
            "are not carried over, so the graph has no arrows"
        )


def _written(graph: DependencyGraph, focus: set[str], output_format: GraphFormat, *, implied: bool) -> bytes:
    if output_format is GraphFormat.JSON:
        return graph_json(graph, focus)
    if output_format is GraphFormat.MERMAID:
        text = graph_mermaid(graph, focus, implied=implied)
        if (edges := text.count(" --> ")) > MOST_EDGES:
            remedy = "use --depends-on or --dependents-of"
            say(f"statetool: Mermaid draws at most {MOST_EDGES} arrows, not {edges:,}; {remedy}")
    else:
        text = graph_dot(graph, focus, implied=implied)
    return f"{text}\n".encode()
