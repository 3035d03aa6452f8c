"""`statetool graph`: draws the dependencies between resources."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Optional

import typer

from statefmt.analysis.graph.dependencies import DependencyGraph, dependency_graph, part_of, reachable, reaching
from statefmt.analysis.selection import select
from statefmt.cli.exit_status import FINE
from statefmt.cli.options.selecting import criteria
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.edit.session import LoadedState, load, state_name
from statefmt.formats.reading.inspect import CURRENT_VERSION
from statefmt.model.instances import instances
from statefmt.store.reading import display_name


class GraphFormat(StrEnum):
    """The output format."""

    DOT = "dot"
    MERMAID = "mermaid"
    TEXT = "text"
    JSON = "json"


def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    from_: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--from", metavar="SELECTOR", help="Only these resources and their dependencies."),
    ] = None,
    to: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--to",
            metavar="SELECTOR",
            help="Only these resources and their dependents, which would be destroyed with them. "
            "With --from: only the paths between both.",
        ),
    ] = None,
    depth: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(metavar="N", min=0, help="With --from or --to: at most N steps."),
    ] = None,
    implied: Annotated[
        bool, typer.Option("--implied", help="Also draw the edges that others imply; JSON always has them.")
    ] = False,
    output_format: Annotated[
        GraphFormat, typer.Option("--format", show_default=False, help="The output format; default: dot (= text).")
    ] = GraphFormat.DOT,
) -> int:
    """Draw the dependencies between resources, for Graphviz or Mermaid, grouped by module.

    Arrows lead from a resource to its dependencies. Dashed resources are dependencies that are not in the state. A
    state lists direct and indirect dependencies; the graph omits arrows that others imply.
    """
    if depth is not None and not (from_ or to):
        raise typer.BadParameter("requires --from or --to", param_hint="--depth")
    loaded = load(run_context(), state_name(run_context(), one_state(state, state_option)))
    graph = dependency_graph(loaded.result.snapshot)
    _note_older_format(loaded, graph)
    starts, ends = _chosen(loaded, graph, from_), _chosen(loaded, graph, to)
    kept = set(graph.nodes)
    if from_:
        kept &= reachable(graph, starts, depth)
    if to:
        kept &= reaching(graph, ends, depth)
    sys.stdout.buffer.write(_written(part_of(graph, kept), starts | ends, output_format, implied=implied))
    return FINE


def _chosen(loaded: LoadedState, graph: DependencyGraph, selectors: list[str] | None) -> set[str]:
    """Return the nodes that selectors name: first resources without keys, which need not be in the state."""
    found = {text for text in selectors or () if text in graph.nodes}
    for text in selectors or ():
        if text not in found:
            chosen = select(instances(loaded.result.snapshot), criteria([text]))
            found |= {str(instance.addr.config()) for instance in chosen}
    return found


def _note_older_format(loaded: LoadedState, graph: DependencyGraph) -> None:
    if loaded.result.version != CURRENT_VERSION and not any(graph.edges.values()):
        note = (
            f"statetool: {display_name(loaded.name)}: the dependencies in format version {loaded.result.version} "
            "are not carried over, so the graph has no arrows"
        )
        say(note)


def _written(graph: DependencyGraph, focus: set[str], output_format: GraphFormat, *, implied: bool) -> bytes:
    if output_format is GraphFormat.JSON:
        from statefmt.render.graph.json import graph_json

        return graph_json(graph, focus)
    if output_format is GraphFormat.MERMAID:
        from statefmt.render.graph.mermaid import MOST_EDGES, graph_mermaid

        text = graph_mermaid(graph, focus, implied=implied)
        if (edges := text.count(" --> ")) > MOST_EDGES:
            note = f"statetool: Mermaid draws at most {MOST_EDGES} arrows, not {edges:,}; use --from or --to"
            say(note)
    else:
        from statefmt.render.graph.dot import graph_dot

        text = graph_dot(graph, focus, implied=implied)
    return f"{text}\n".encode()
