"""`statetool fleet duplicates` on an index of planted states."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.test_json_output import _assert_valid
from tests.fleet.planting import indexed, made, planted

pytest.importorskip("duckdb")

_VPC = made("aws_vpc", "main", id="vpc-1", arn="arn:aws:ec2:eu-west-1:1:vpc/vpc-1")
_NAMED = made("aws_cloudwatch_log_metric_filter", "\x1b[2J", id="err\u202eors", region="eu-west-1")


@pytest.fixture
def index(folder: Path) -> Path:
    states = {
        "a": planted(_VPC, _NAMED, lineage="a", serial=2),
        "a-old": planted(_VPC, lineage="a"),
        "b": planted(_VPC, _NAMED, lineage="b"),
        "c": planted(made("aws_vpc", id="vpc-2"), lineage="c"),
    }
    return indexed(folder, states)


def test_text(index: Path, statetool: Statetool) -> None:
    found = statetool("fleet", "duplicates", "--into", str(index))
    folder = index.parent / "states"
    assert found.text.splitlines() == [
        "arn:aws:ec2:eu-west-1:1:vpc/vpc-1 (same ARN)",
        f"  {folder}/a.tfstate: aws_vpc.main",
        f"  {folder}/b.tfstate: aws_vpc.main",
        "err\\u202eors (same type and id, eu-west-1, 1)",
        f"  {folder}/a.tfstate: aws_cloudwatch_log_metric_filter.\\x1b[2J",
        f"  {folder}/b.tfstate: aws_cloudwatch_log_metric_filter.\\x1b[2J",
    ]
    assert (found.status, found.err) == (1, "statetool: 2 objects managed by states of different lineages\n")


def test_copies_are_shown_on_request(index: Path, statetool: Statetool) -> None:
    found = statetool("fleet", "duplicates", "--into", str(index), "--copies")
    folder = index.parent / "states"
    assert found.text.splitlines()[-3:] == [
        "lineage a",
        f"  {folder}/a.tfstate: serial 2, 2 objects, newest",
        f"  {folder}/a-old.tfstate: serial 1, 1 object",
    ]
    assert "1 lineage with copies" in found.err


@pytest.mark.parametrize("arguments", [[], ["--copies"]])
def test_json(arguments: list[str], index: Path, statetool: Statetool) -> None:
    found = statetool("fleet", "duplicates", "--into", str(index), "--format", "json", *arguments)
    document = json.loads(found.out)
    _assert_valid(document, "fleet-duplicates-output")
    assert [len(one["places"]) for one in document["duplicates"]] == [2, 2]
    assert ("copies" in document) == bool(arguments)


def test_none(folder: Path, statetool: Statetool) -> None:
    index = indexed(folder, {"a": planted(_VPC), "torn": b"{"})
    found = statetool("fleet", "duplicates", "--into", str(index))
    assert (found.status, found.out) == (0, b"")
    assert "statetool: not compared: 1 state that could not be read" in found.err


def test_without_an_index(folder: Path, statetool: Statetool) -> None:
    found = statetool("fleet", "duplicates")
    assert found.status == 2
    assert "there is no such index" in found.err
