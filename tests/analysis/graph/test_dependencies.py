"""Which resource depends on which, and what is near a resource."""

from __future__ import annotations

import pytest

from statefmt.analysis.dependencies import dependency_graph, part_of, reachable, reaching
from tests.analysis.states import AWS, graph_snapshot, resource, snapshot

# As OpenTofu writes it: web depends on the group and the subnet, and through them on the vpc.
WEB, GROUP = "aws_instance.web", "aws_security_group.web"
SUBNET, VPC = "module.net.aws_subnet.a", "module.net.aws_vpc.m"
EDGES = {WEB: [GROUP, SUBNET, VPC], GROUP: [VPC], SUBNET: [VPC], VPC: [], "aws_eip.lone": []}


def test_edges() -> None:
    graph = dependency_graph(graph_snapshot(EDGES))
    assert list(graph.nodes) == ["aws_eip.lone", WEB, GROUP, SUBNET, VPC]
    assert {text: list(targets) for text, targets in graph.edges.items()} == EDGES
    assert graph.implied == {(WEB, VPC)}


def test_instances_are_one_node() -> None:
    """Of all modules and keys, with what any of its objects depends on."""
    graph = dependency_graph(
        snapshot(
            resource('module.a["x"].aws_vpc.a', {"index_key": 0}, {"index_key": 1}, provider=AWS),
            resource(
                'module.a["y"].aws_vpc.a',
                {"index_key": 0, "dependencies": ["aws_eip.a"]},
                {"index_key": 0, "deposed": "00000001", "dependencies": ["aws_eip.b", "aws_eip.a"]},
                provider=AWS,
            ),
        )
    )
    assert {text: node.instances for text, node in graph.nodes.items()} == {
        "aws_eip.a": None,
        "aws_eip.b": None,
        "module.a.aws_vpc.a": 3,
    }
    assert graph.edges["module.a.aws_vpc.a"] == ("aws_eip.a", "aws_eip.b")


# What is named, and whether the state should have it.
MISSING = [("aws_eip.gone", True), ("data.aws_ami.gone", True), ("ephemeral.aws_token.a", False), ("aws_vpc.a", False)]


@pytest.mark.parametrize(("target", "missing"), MISSING)
def test_missing(target: str, missing: bool) -> None:
    graph = dependency_graph(graph_snapshot({"aws_vpc.a": [target]}))
    assert graph.nodes[target].is_missing == missing


# The release that wrote `depends_on`, and what it then names: Terraform 0.12 wrote it relative to the module.
DEPENDS_ON = [("0.12.9", []), ("0.13.0", ["aws_vpc.b"]), ("", ["aws_vpc.b"])]


@pytest.mark.parametrize(("release", "targets"), DEPENDS_ON)
def test_depends_on_of_terraform_0_12(release: str, targets: list[str]) -> None:
    state = snapshot(
        resource("aws_vpc.a", {"depends_on": ["aws_vpc.b[0]"]}, provider=AWS),
        resource("aws_vpc.b", {}, provider=AWS),
        terraform_version=release,
    )
    assert list(dependency_graph(state).edges["aws_vpc.a"]) == targets


CHAIN = {"t.a": ["t.b", "t.c", "t.d"], "t.b": ["t.c", "t.d"], "t.c": ["t.d"], "t.d": []}
CIRCLE = {"t.a": ["t.b"], "t.b": ["t.c"], "t.c": ["t.a"]}
# A graph, a node, a depth, what it depends on, and what depends on it; all with itself.
NEAR = [
    ("chain", CHAIN, "t.b", None, "bcd", "ab"),
    ("one step", CHAIN, "t.b", 1, "bc", "ab"),
    ("no step", CHAIN, "t.b", 0, "b", "b"),
    ("one step from the start", CHAIN, "t.a", 1, "ab", "a"),
    ("one step from the end", CHAIN, "t.d", 1, "d", "cd"),
    ("circle", CIRCLE, "t.a", None, "abc", "abc"),
    ("one step in a circle", CIRCLE, "t.a", 1, "ab", "ac"),
    ("itself", {"t.a": ["t.a"]}, "t.a", None, "a", "a"),
]


@pytest.mark.parametrize(
    ("edges", "node", "depth", "on", "of"), [case[1:] for case in NEAR], ids=[case[0] for case in NEAR]
)
def test_near(edges: dict[str, list[str]], node: str, depth: int | None, on: str, of: str) -> None:
    graph = dependency_graph(graph_snapshot(edges))
    assert reachable(graph, [node], depth) == {f"t.{name}" for name in on}
    assert reaching(graph, [node], depth) == {f"t.{name}" for name in of}


def test_part() -> None:
    graph = part_of(dependency_graph(graph_snapshot(CHAIN)), {"t.a", "t.b", "t.d"})
    assert list(graph.nodes) == ["t.a", "t.b", "t.d"]
    assert graph.edges == {"t.a": ("t.b", "t.d"), "t.b": ("t.d",), "t.d": ()}
