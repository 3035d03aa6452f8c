"""`statetool graph`: which resource depends on which, as a picture."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Optional

import typer

from statefmt.analysis.graph.dependencies import (
    DependencyGraph,
    dependency_graph,
    part_of,
    reachable,
    reaching,
)
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
    """How to write the graph."""

    DOT = "dot"
    MERMAID = "mermaid"
    TEXT = "text"
    JSON = "json"


def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    from_: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--from", metavar="SELECTOR", help="Only these resources, and what they depend on."),
    ] = None,
    to: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--to",
            metavar="SELECTOR",
            help="Only these resources, and what depends on them: all that destroying them would take along. "
            "Together with --from: only the ways between.",
        ),
    ] = None,
    depth: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(metavar="N", min=0, help="With --from and --to: only so many steps far."),
    ] = None,
    implied: Annotated[
        bool, typer.Option("--implied", help="Draw also the edges that follow from others; JSON always has them.")
    ] = False,
    output_format: Annotated[
        GraphFormat, typer.Option("--format", show_default=False, help="How to write the graph; default: dot (= text).")
    ] = GraphFormat.DOT,
) -> int:
    """Draw which resource depends on which, for Graphviz or Mermaid, grouped by module.

    An arrow leads from a resource to what it depends on. Dashed are resources that others depend on, but that the
    state does not have. A state names all that a resource depends on, also through others; the picture is drawn with
    the fewest arrows that say the same.
    """
    if depth is not None and not (from_ or to):
        raise typer.BadParameter("needs --from or --to", param_hint="--depth")
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
    """The nodes that selectors mean: resources without keys first, also those that the state does not have."""
    found = {text for text in selectors or () if text in graph.nodes}
    for text in selectors or ():
        if text not in found:
            chosen = select(instances(loaded.result.snapshot), criteria([text]))
            found |= {str(instance.addr.config()) for instance in chosen}
    return found


def _note_older_format(loaded: LoadedState, graph: DependencyGraph) -> None:
    if loaded.result.version != CURRENT_VERSION and not any(graph.edges.values()):
        note = (
            f"statetool: {display_name(loaded.name)}: what format version {loaded.result.version} says of dependencies "
            "is not carried over, so the graph has no arrows"
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
            note = f"statetool: Mermaid draws no more than {MOST_EDGES} arrows, and there are {edges:,}; --from helps"
            say(note)
    else:
        from statefmt.render.graph.dot import graph_dot

        text = graph_dot(graph, focus, implied=implied)
    return f"{text}\n".encode()
