"""Suggested partitions as tables, graphs and JSON: what they say, and that no text of a state acts on a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from statefmt.analysis.partition import NeededResource, Partition, PartitionKind, PartitionPart, Suggestions
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.render.partition import partition_dot, partition_mermaid, partitions_json, partitions_text
from statefmt.render.terminal import UNLIMITED, Terminal

SCHEMA = json.loads(Path("schemas/split-suggest-output.schema.json").read_bytes())
NET = PartitionPart("net", ("module.net", "aws_eip.a"), 3, (), 0, stays=False)
APP = PartitionPart("app", ("module.app",), 1200, ("net",), 1, stays=True)
NEEDED = NeededResource("module.net.aws_vpc.v", "net", ("app",), is_secret=True)
PARTITION = Partition(PartitionKind.MODULE, (NET, APP), (NEEDED,), (parse_module_instance('module.x["k"]'),), 40)
FOUND = Suggestions((PARTITION,), {PartitionKind.REGION: "no two regions are in the attributes"})
TEXT = """\
BY      PARTS  LARGEST  OUTPUTS  SECRETS  APPLIES  DIVIDED  SCORE
module      2     100%        1        1        2        1  111.8
No suggestion by region: no two regions are in the attributes.

By module:
PART         INSTANCES  NEEDS  CONTENTS
net                  3         module.net, aws_eip.a
app (stays)      1,200  net    module.app

Other parts need outputs for:
  module.net.aws_vpc.v in net (has sensitive attributes), for app

Modules with resources in several parts:
  module.x["k"]
"""
DOT = """\
digraph parts {
  rankdir = "RL"
  node [shape = "box"]
  "net" [label = "net\\n3 instances"]
  "app" [label = "app\\n1,200 instances", penwidth = 3]
  "app" -> "net" [label = "1 output"]
}"""
MERMAID = """\
flowchart RL
  p0["net<br/>3 instances"]
  p1["app<br/>1,200 instances"]
  p1 -->|"1 output"| p0"""


def test_text() -> None:
    assert "".join(f"{line}\n" for line in partitions_text(FOUND, PARTITION, Terminal(UNLIMITED))) == TEXT


def test_graphs() -> None:
    assert partition_dot(PARTITION) == DOT
    assert partition_mermaid(PARTITION) == MERMAID


def test_json() -> None:
    written = json.loads(partitions_json(FOUND))
    Draft202012Validator(SCHEMA).validate(written)
    [suggestion] = written["suggestions"]
    # 1200 of 1203 instances, one of 40 resources, one secret, two applies, one divided module.
    assert suggestion["score"] == pytest.approx(100 * 1200 / 1203 + 200 / 40 + 3 + 2 + 2, abs=0.001)
    assert suggestion["parts"][1] == {
        "name": "app",
        "stays": True,
        "level": 1,
        "instances": 1200,
        "needs": ["net"],
        "contents": ["module.app"],
    }
    assert suggestion["needed"] == [
        {"resource": "module.net.aws_vpc.v", "part": "net", "needed_by": ["app"], "secret": True}
    ]
    assert written["without"] == [{"by": "region", "reason": "no two regions are in the attributes"}]


def test_long_lists_are_cut() -> None:
    needed = tuple(NeededResource(f"aws_x.n{number}", "net", ("app",), is_secret=False) for number in range(25))
    contents = tuple(f"aws_x.n{number}" for number in range(25))
    part = PartitionPart("net", contents, 25, (), 0, stays=False)
    partition = Partition(PartitionKind.MODULE, (part, APP), needed, (), 40)
    lines = list(partitions_text(Suggestions((partition,), {}), partition, Terminal(UNLIMITED)))
    assert lines[-1] == "  and 5 more resources"
    assert "aws_x.n0, aws_x.n1, aws_x.n2, and 22 more" in "\n".join(lines)


def test_hostile_text() -> None:
    part = PartitionPart("net", ('module.n["\x1b[2J"]',), 3, (), 0, stays=False)
    hostile = NeededResource("aws_x.\x1b]0;", "net", ("app",), is_secret=False)
    partition = Partition(PartitionKind.MODULE, (part, APP), (hostile,), (), 40)
    found = Suggestions((partition,), {PartitionKind.REGION: "\x1b[2J"})
    shown = "\n".join(partitions_text(found, partition, Terminal(UNLIMITED)))
    assert "\x1b" not in shown + partitions_json(found).decode()
