"""`statetool fleet graph`: draws which states read the outputs of which."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from statefmt.cli.exit_status import FINE
from statefmt.cli.options.fleet_options import DEFAULT_INDEX, IntoOption
from statefmt.cli.options.takes import declared
from statefmt.cli.pages import require_templates
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.render.terminal import counted

if TYPE_CHECKING:
    from statefmt.fleet import FleetGraph


class FleetGraphFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    DOT = "dot"
    MERMAID = "mermaid"
    HTML = "html"
    JSON = "json"


@declared(
    paged=True,
    decrypts=False,
    connects=False,
    examples=(
        ("Show which states read which.", "statetool fleet graph --format text"),
        ("Draw that with Graphviz.", "statetool fleet graph | dot -Tsvg -o fleet.svg"),
        ("Write a page for a browser.", "statetool fleet graph --format html > fleet.html"),
    ),
)
def fleet_graph_command(
    into: IntoOption = DEFAULT_INDEX,
    every: Annotated[bool, Option("--all", help="Also show states that read no other and are read by none.")] = False,
    output_format: Annotated[
        FleetGraphFormat | None,
        Option(
            "--format",
            metavar="FORMAT",
            help="text (the default on a terminal), dot (the default elsewhere), mermaid, html or json.",
        ),
    ] = None,
) -> int:
    """Show which states read the outputs of which, with `terraform_remote_state`.

    References are stale if the state is not in the index or cannot be read; they are marked. The arguments of some
    backends do not say where a state is: these references are only counted.
    """
    from statefmt.fleet import fleet_graph
    from statefmt.render.graph import fleet_graph_text

    graph = fleet_graph(into)
    if not every:
        graph = graph.joined()
    output_format = output_format or (FleetGraphFormat.TEXT if sys.stdout.isatty() else FleetGraphFormat.DOT)
    if output_format is FleetGraphFormat.TEXT:
        for line in fleet_graph_text(graph, result_terminal()):
            print(line)
    else:
        write_result(_written(graph, output_format, into))
    stale = sum(one.stale is not None for one in graph.references)
    unknown = f", {len(graph.unknown):,} to unknown places" if graph.unknown else ""
    say(f"statetool: {counted(len(graph.references), 'reference')} between states, {stale:,} stale{unknown}")
    return FINE


def _written(graph: FleetGraph, output_format: FleetGraphFormat, into: Path) -> bytes:
    if output_format is FleetGraphFormat.JSON:
        from statefmt.render.graph import fleet_graph_json

        return fleet_graph_json(graph)
    if output_format is FleetGraphFormat.HTML:
        require_templates()
        from statefmt.render.report.fleet_page import fleet_graph_page

        return fleet_graph_page(graph, str(into), run_context().clock())
    if output_format is FleetGraphFormat.MERMAID:
        from statefmt.render.graph import MOST_EDGES, fleet_graph_mermaid

        if (edges := len(graph.references)) > MOST_EDGES:
            say(f"statetool: Mermaid draws at most {MOST_EDGES} arrows, not {edges:,}; use --format html")
        return f"{fleet_graph_mermaid(graph)}\n".encode()
    from statefmt.render.graph import fleet_graph_dot

    return f"{fleet_graph_dot(graph)}\n".encode()
