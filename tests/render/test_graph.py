"""Graphs in DOT and Mermaid: their syntax by strict readers, and what they draw."""

from __future__ import annotations

from hypothesis import given, strategies as st

from statefmt.analysis.dependencies import DependencyGraph, dependency_graph
from statefmt.render.graph import graph_dot, graph_mermaid
from statefmt.text import printable
from tests.analysis.states import AWS, graph_snapshot, resource, snapshot
from tests.render.dot_reader import read_dot
from tests.render.mermaid_reader import read_mermaid
from tests.tables import each_row

EDGES = {
    "aws_instance.web": ["aws_eip.gone", "data.aws_ami.a", "module.net.aws_subnet.a", "module.net.module.x.aws_vpc.m"],
    "data.aws_ami.a": [],
    "module.net.aws_subnet.a": ["module.net.module.x.aws_vpc.m"],
    "module.net.module.x.aws_vpc.m": [],
    "module.other.aws_vpc.m": [],
}
GRAPH = dependency_graph(graph_snapshot(EDGES))
# The nodes as they are drawn: the text, and the modules around it.
DRAWN = [
    ("data.aws_ami.a", ()),
    ("aws_eip.gone\nnot in the state", ()),
    ("aws_instance.web", ()),
    ("aws_subnet.a", ("module.net",)),
    ("aws_vpc.m", ("module.net", "module.net.module.x")),
    ("aws_vpc.m", ("module.other",)),
]
DIRECT = [
    ("aws_instance.web", "data.aws_ami.a"),
    ("aws_instance.web", "aws_eip.gone"),
    ("aws_instance.web", "module.net.aws_subnet.a"),
    ("module.net.aws_subnet.a", "module.net.module.x.aws_vpc.m"),
]
FOLLOWING = ("aws_instance.web", "module.net.module.x.aws_vpc.m")


def _dot_label(attributes: dict[str, str]) -> str:
    from tests.render.dot_reader import shown

    return shown(attributes["label"])


def test_dot() -> None:
    picture = read_dot(graph_dot(GRAPH, {"aws_instance.web"}, implied=False))
    assert [(_dot_label(of), picture.clusters[name]) for name, of in picture.nodes.items()] == DRAWN
    assert set(picture.nodes) == set(GRAPH.nodes)
    assert picture.edges == DIRECT
    assert [name for name, of in picture.nodes.items() if "penwidth" in of] == ["aws_instance.web"]
    assert [name for name, of in picture.nodes.items() if of.get("style") == "dashed"] == ["aws_eip.gone"]
    assert [name for name, of in picture.nodes.items() if of.get("style") == "rounded"] == ["data.aws_ami.a"]


def test_mermaid() -> None:
    chart = read_mermaid(graph_mermaid(GRAPH, {"aws_instance.web"}, implied=False))
    assert [(text, chart.subgraphs[name]) for name, text in chart.nodes.items()] == DRAWN
    names = dict(zip(chart.nodes, GRAPH.nodes, strict=True))
    assert chart.links == [(source, target) for source, target in chart.links if source in names and target in names]
    texts = [(chart.nodes[source].split("\n")[0], chart.nodes[target].split("\n")[0]) for source, target in chart.links]
    assert texts == [
        ("aws_instance.web", "data.aws_ami.a"),
        ("aws_instance.web", "aws_eip.gone"),
        ("aws_instance.web", "aws_subnet.a"),
        ("aws_subnet.a", "aws_vpc.m"),
    ]
    assert {of: [chart.nodes[name].split("\n")[0] for name in found] for of, found in chart.classes.items()} == {
        "missing": ["aws_eip.gone"],
        "focus": ["aws_instance.web"],
    }


def test_implied_edges_where_they_are_wanted() -> None:
    assert set(read_dot(graph_dot(GRAPH, set(), implied=True)).edges) == {*DIRECT, FOLLOWING}
    assert len(read_mermaid(graph_mermaid(GRAPH, set(), implied=True)).links) == len(DIRECT) + 1


def test_instances() -> None:
    graph = dependency_graph(snapshot(resource("t.a", {"index_key": 0}, {"index_key": 1}, provider=AWS)))
    assert [_dot_label(of) for of in read_dot(graph_dot(graph, set(), implied=False)).nodes.values()] == [
        "t.a\n2 instances"
    ]


# Names that no configuration can have, but a file: they must stay texts.
NAMES = ['a"b', "a\\", "a\\n", "<b>x</b>", "a#quot;b", "#35;", "`a`", '"`md`"', "a;b", "a]b[", "{x}", "a\nb", "\u202ex",
         "é日本", "a%%b", "a|b", "a&amp;b", "-->", "end", "\x1b[31m", "a\\\"", ""]  # fmt: skip


def _named(*names: str) -> DependencyGraph:
    one = resource("t.x", {}, provider=AWS)
    return dependency_graph(snapshot(*({**one, "name": name} for name in names)))


@each_row("name", NAMES, ids=repr)
def test_any_name_is_only_a_text(name: str) -> None:
    _assert_drawn(name)


@given(st.text(max_size=8))
def test_any_text(name: str) -> None:
    _assert_drawn(name)


def _assert_drawn(name: str) -> None:
    graph = _named(name)
    dot, mermaid = graph_dot(graph, set(), implied=False), graph_mermaid(graph, set(), implied=False)
    assert [_dot_label(of) for of in read_dot(dot).nodes.values()] == [printable(f"t.{name}")]
    assert list(read_mermaid(mermaid).nodes.values()) == [printable(f"t.{name}")]


def test_modules_a_thousand_deep() -> None:
    path = ".".join(f"module.m{depth}" for depth in range(1200))
    graph = dependency_graph(snapshot(resource(f"{path}.t.a", {}, provider=AWS)))
    (around,) = read_mermaid(graph_mermaid(graph, set(), implied=False)).subgraphs.values()
    assert (len(around), around[-1]) == (50, path)
    assert graph_dot(graph, set(), implied=False).count("subgraph") == 50


def test_nothing() -> None:
    graph = dependency_graph(snapshot())
    assert read_dot(graph_dot(graph, set(), implied=False)).nodes == {}
    assert read_mermaid(graph_mermaid(graph, set(), implied=False)).nodes == {}


def test_what_is_drawn_does_not_grow_with_the_square_of_an_address() -> None:

    def drawn(depth: int) -> DependencyGraph:
        return dependency_graph(graph_snapshot({f"{'module.m.' * (depth - 1)}module.{end}.t.a": [] for end in "no"}))

    sizes = [len(graph_dot(drawn(depth), (), implied=False)) for depth in (100, 200, 400)]
    assert sizes[2] - sizes[1] < 2.2 * (sizes[1] - sizes[0])
