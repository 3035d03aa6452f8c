"""Graphs as trees of text: every edge is a line, each node is expanded once, and nothing explodes."""

from __future__ import annotations

from statefmt.analysis.dependencies import DependencyGraph, dependency_graph
from statefmt.render.graph import graph_tree
from statefmt.render.terminal import Terminal
from tests.analysis.states import graph_snapshot

DIAMOND = {"t.a": ["t.b", "t.c"], "t.b": ["t.d"], "t.c": ["t.d", "t.x"], "t.d": ["t.e"], "t.e": []}


def _graph(edges: dict[str, list[str]]) -> DependencyGraph:
    return dependency_graph(graph_snapshot(edges))


def _tree(edges: dict[str, list[str]], *focus: str, up: bool = False, implied: bool = False) -> list[str]:
    return list(graph_tree(_graph(edges), focus, Terminal(), up=up, implied=implied))


def test_repeated_subtree_is_shown_once() -> None:
    assert _tree(DIAMOND) == [
        "t.a",
        "├── t.b",
        "│   └── t.d",
        "│       └── t.e",
        "└── t.c",
        "    ├── t.d (*)",
        "    └── t.x (not in the state)",
        "",
        "(*) listed with its dependencies elsewhere in this tree",
    ]


def test_up() -> None:
    assert _tree(DIAMOND, "t.d", up=True) == ["t.d", "├── t.b", "│   └── t.a", "└── t.c", "    └── t.a"]


def test_expanded_where_it_is_nearest() -> None:
    """Otherwise --depth would hide what is below a node that is far from the root in one place."""
    edges = {"t.a": ["t.b", "t.r"], "t.b": ["t.c"], "t.c": ["t.r", "t.s"], "t.r": ["t.x"], "t.s": [], "t.x": []}
    assert _tree(edges, implied=True)[:7] == [
        "t.a",
        "├── t.b",
        "│   └── t.c",
        "│       ├── t.r (*)",
        "│       └── t.s",
        "└── t.r",
        "    └── t.x",
    ]


def test_cycles_end() -> None:
    assert _tree({"t.a": ["t.b"], "t.b": ["t.c"], "t.c": ["t.a"]})[:4] == [
        "t.a",
        "└── t.b",
        "    └── t.c",
        "        └── t.a (*)",
    ]
    assert _tree({"t.a": ["t.a"]})[:2] == ["t.a", "└── t.a (*)"]
    # A cycle is shown even beside resources that nothing depends on.
    assert _tree({"t.a": ["t.b"], "t.b": ["t.a"], "t.c": []})[:4] == ["t.c", "t.a", "└── t.b", "    └── t.a (*)"]


def test_line_for_each_edge() -> None:
    """12 layers of ten, each node with all of the next: 10**12 paths."""
    edges = {
        f"t.l{layer:02}_{place}": [f"t.l{layer + 1:02}_{other}" for other in range(10)] if layer < 11 else []
        for layer in range(12)
        for place in range(10)
    }
    assert len(_tree(edges)) == 10 + 11 * 100 + 2


def test_long_chain_is_not_indented_further_and_further() -> None:
    edges = {f"t.n{number:05}": [f"t.n{number + 1:05}"] for number in range(5000)}
    lines = _tree(edges)
    assert max(map(len, lines)) < 200
    assert (
        sum("(continued below)" in line for line in lines) == sum(not line.startswith((" ", "└")) for line in lines) - 1
    )
    assert {f"t.n{number:05}" for number in range(5001)} == {line.split("─ ")[-1].split(" (")[0] for line in lines}


def test_escaped() -> None:
    assert _tree({"t.\u202eb": []}) == ["t.\\u202eb"]
