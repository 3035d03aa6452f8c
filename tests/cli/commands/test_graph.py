"""`graph`: which resources are drawn. How they are drawn is in tests/render."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import SAMPLES, resource, state
from tests.cli.terminal import on_terminal
from tests.render.dot_reader import read_dot
from tests.render.mermaid_reader import read_mermaid
from tests.tables import each_row

SAMPLE = str(SAMPLES / "v4-resource-level.tfstate")
AMI, WEB, CERTIFICATE = "data.aws_ami.base", "aws_instance.web", "aws_acm_certificate.cdn"
SUBNET, VPC = "module.network.aws_subnet.this", "module.network.aws_vpc.main"
ALL = {AMI, WEB, CERTIFICATE, SUBNET, VPC}

# Options, and the resources that are drawn.
CHOSEN = [
    ("", ALL),
    (f"--from {WEB}", {WEB, AMI, SUBNET, VPC}),
    (f"--from {WEB} --depth 1", {WEB, AMI, SUBNET}),
    (f"--from {WEB} --depth 0", {WEB}),
    (f"--from {WEB}[1]", {WEB, AMI, SUBNET, VPC}),
    ("--from module.network", {SUBNET, VPC}),
    (f"--to {VPC}", {WEB, SUBNET, VPC}),
    (f"--to {VPC} --depth 1", {SUBNET, VPC}),
    ('--to module.network.aws_subnet.this["a"]', {WEB, SUBNET}),
    (f"--to {AMI} --to {VPC}", {WEB, AMI, SUBNET, VPC}),
    (f"--from {WEB} --to {VPC}", {WEB, SUBNET, VPC}),
    (f"--from {VPC} --to {WEB}", set()),
    (f"--depends-on {WEB} --depth 1", {WEB, AMI, SUBNET}),
    (f"--dependents-of {VPC}", {WEB, SUBNET, VPC}),
]


@each_row(("options", "chosen"), CHOSEN, ids=[case[0] or "all" for case in CHOSEN])
def test_chosen(options: str, chosen: set[str], statetool: Statetool) -> None:
    document = json.loads(statetool("graph", SAMPLE, "--format", "json", *options.split()).out)
    assert {node["address"] for node in document["nodes"]} == chosen
    dot = read_dot(statetool("graph", SAMPLE, *options.split()).text)
    assert dot.nodes.keys() == chosen
    chart = read_mermaid(statetool("graph", SAMPLE, "--format", "mermaid", *options.split()).text)
    assert len(chart.nodes) == len(chosen)
    drawn = [(edge["from"], edge["to"]) for edge in document["edges"] if not edge["implied"]]
    assert dot.edges == drawn
    assert len(chart.links) == len(drawn)


def test_formats(statetool: Statetool) -> None:
    assert statetool("graph", SAMPLE).out == statetool("graph", SAMPLE, "--format", "dot").out
    assert statetool("graph", SAMPLE, "--format", "tree").out == statetool("graph", SAMPLE, "--format", "text").out


def test_text_is_a_tree(statetool: Statetool) -> None:
    """B13: `--format text` was DOT."""
    assert statetool("graph", SAMPLE, "--format", "text").text == (
        f"{CERTIFICATE}\n{WEB} (2 instances)\n├── {AMI}\n└── {SUBNET} (2 instances)\n    └── {VPC}\n"
    )
    up = statetool("graph", SAMPLE, "--format", "tree", "--dependents-of", VPC)
    assert up.text == f"{VPC}\n└── {SUBNET} (2 instances)\n    └── {WEB} (2 instances)\n"
    near = statetool("graph", SAMPLE, "--format", "tree", "--dependents-of", VPC, "--depth", "1")
    assert near.text == f"{VPC}\n└── {SUBNET} (2 instances)\n"
    between = statetool("graph", SAMPLE, "--format", "tree", "--depends-on", WEB, "--dependents-of", VPC)
    assert between.text == f"{WEB} (2 instances)\n└── {SUBNET} (2 instances)\n    └── {VPC}\n"


def test_tree_on_a_terminal_and_dot_elsewhere(program: Program) -> None:
    shown = on_terminal(program, f"statetool graph '{SAMPLE}'", environment={"TERM": "dumb"})
    assert shown.text == program("graph", SAMPLE, "--format", "text").text
    assert program("graph", SAMPLE).text.startswith("digraph")


def test_tree_of_nothing(statetool: Statetool, folder: Path) -> None:
    (folder / "state").write_bytes(state())
    result = statetool("graph", "state", "--format", "text")
    assert (result.status, result.out, result.err) == (0, b"", "statetool: the state has no resources\n")
    result = statetool("graph", SAMPLE, "--depends-on", VPC, "--dependents-of", WEB, "--format", "text")
    assert (result.status, result.out) == (0, b"")
    assert "no dependency path" in result.err


def test_what_is_missing_can_be_asked_for(statetool: Statetool, folder: Path) -> None:
    """Who still depends on what has gone?"""
    (folder / "state").write_bytes(state(resource("aws_vpc", "a", {"dependencies": ["aws_eip.gone"]})))
    document = json.loads(statetool("graph", "state", "--to", "aws_eip.gone", "--format", "json").out)
    assert [(node["address"], node["missing"], node["focus"]) for node in document["nodes"]] == [
        ("aws_eip.gone", True, True),
        ("aws_vpc.a", False, False),
    ]
    assert "statetool" not in statetool("graph", "state").err


def test_resources_of_all_instances_of_a_module(statetool: Statetool, folder: Path) -> None:
    """A node has no keys: it may be named as it is drawn."""
    (folder / "state").write_bytes(state(resource("aws_vpc", "a", module='module.m["x"]')))
    document = json.loads(statetool("graph", "state", "--to", "module.m.aws_vpc.a", "--format", "json").out)
    assert [node["address"] for node in document["nodes"]] == ["module.m.aws_vpc.a"]


@pytest.mark.parametrize("option", ["--from", "--to"])
def test_no_match(option: str, statetool: Statetool) -> None:
    result = statetool("graph", SAMPLE, option, "aws_instance.wep")
    assert (result.status, result.out) == (2, b"")
    assert "aws_instance.web" in result.err


def test_depth_of_what(statetool: Statetool) -> None:
    result = statetool("graph", SAMPLE, "--depth", "2")
    assert (result.status, result.out) == (2, b"")
    assert "Invalid value for --depth: requires --depends-on or --dependents-of" in " ".join(result.err.split())


def test_older_formats_have_no_arrows(statetool: Statetool) -> None:
    result = statetool("graph", str(SAMPLES / "v3-legacy.tfstate"))
    assert result.status == 0
    assert read_dot(result.text).edges == []
    assert "the graph has no arrows" in " ".join(result.err.split())


def test_more_than_mermaid_draws(statetool: Statetool, folder: Path) -> None:
    """Also: the graph of as many circles as there are pairs ends."""
    names = [f"t.a{number}" for number in range(30)]
    (folder / "state").write_bytes(
        state(
            *(resource("t", name[2:], {"dependencies": [other for other in names if other != name]}) for name in names)
        )
    )
    result = statetool("graph", "state", "--format", "mermaid")
    assert len(read_mermaid(result.text).links) == 30 * 29
    assert "at most 500 arrows, not 870" in " ".join(result.err.split())


def test_standard_input(program: Program) -> None:
    given = program("graph", "-", stdin=Path(SAMPLE).read_bytes())
    assert read_dot(given.text).nodes.keys() == ALL
