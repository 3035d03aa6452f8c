"""`split --suggest`: what it shows and writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES
from tests.cli.test_json_output import _assert_valid

REGIONS = SAMPLES / "v4-regions.tfstate"
EMPTY = SAMPLES / "v4-empty.tfstate"


def test_text(statetool: Statetool) -> None:
    shown = statetool("split", "--suggest", str(REGIONS)).text
    assert [line.split()[0] for line in shown.splitlines()[:3]] == ["BY", "provider", "community"]
    assert "aws_iam_role.app in aws, for aws-by-region-eu-west-1, aws-by-region-us-west-2" in shown


def test_json(statetool: Statetool) -> None:
    written = json.loads(statetool("split", "--suggest", str(REGIONS), "--format", "json").out)
    _assert_valid(written, "split-suggest-output")
    assert [one["by"] for one in written["suggestions"]] == ["provider", "community"]
    nothing = statetool("split", "--suggest", str(EMPTY), "--format", "json")
    assert nothing.status == 2
    _assert_valid(json.loads(nothing.out), "split-suggest-output")


@pytest.mark.parametrize(("output_format", "start"), [("dot", "digraph parts {"), ("mermaid", "flowchart RL")])
def test_graphs(output_format: str, start: str, statetool: Statetool) -> None:
    shown = statetool("split", "--suggest", str(REGIONS), "--by", "provider", "--format", output_format).text
    assert shown.startswith(start)
    assert shown.count("->") + shown.count("-->") // 2 >= 2


def test_the_operations_file_divides_the_state(statetool: Statetool, tmp_path: Path) -> None:
    state, out = tmp_path / "app.tfstate", tmp_path / "split.stateops.hcl"
    state.write_bytes(REGIONS.read_bytes())
    run = statetool("split", "--suggest", str(state), "--out", str(out), "--into", str(tmp_path / "{name}.tfstate"))
    assert run.status == 0, run.err
    assert state.read_bytes() == REGIONS.read_bytes()
    run = statetool("apply", "--yes", str(out))
    assert run.status == 0, run.err
    made = sorted(tmp_path.glob("aws*.tfstate"))
    assert [one.name for one in made] == [
        "aws-by-region-eu-north-1.tfstate",
        "aws-by-region-us-west-2.tfstate",
        "aws.tfstate",
    ]
    assert statetool("list", "--state", str(tmp_path / "aws.tfstate")).text.split() == [
        "data.aws_caller_identity.current",
        "aws_iam_role.app",
    ]
    run = statetool("join", *map(str, made), "--into", str(state), "--yes")
    assert run.status == 0, run.err
    assert json.loads(state.read_bytes()) | {"serial": 58} == json.loads(REGIONS.read_bytes())


def test_regions_without_a_file(statetool: Statetool, tmp_path: Path) -> None:
    """What is suggested is also done at once."""
    state = tmp_path / "app.tfstate"
    state.write_bytes((SAMPLES / "v4-provider-for-each.tfstate").read_bytes())
    statetool("split", str(state), "--by", "community", "--into", str(tmp_path / "{name}.tfstate"), "--yes")
    assert {one.name for one in tmp_path.glob("*.tfstate")} == {
        "app.tfstate",
        "caller-identity.tfstate",
        "s3-bucket.tfstate",
    }


# Options, and the message.
REFUSED = [
    (["--suggest", str(REGIONS), "--select", "a=b"], "cannot be combined with --suggest"),
    (["--suggest", str(REGIONS), "--by", "module-instance"], "give one of module, provider, region, community"),
    ([str(REGIONS), "--by", "module", "--into", "{name}", "--format", "json"], "requires --suggest"),
    (["--suggest", str(REGIONS), "--by", "module"], "no suggestion by module: there are not two modules to go by"),
    (["--suggest", str(EMPTY)], "no suggestion by community: there are not two resources"),
    ([str(EMPTY), "--by", "region", "--into", "{name}"], "there is nothing to split: there are not two resources"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_refused(arguments: list[str], message: str, statetool: Statetool) -> None:
    run = statetool("split", *arguments)
    assert run.status == 2
    assert message in " ".join(run.err.split())
    assert not run.out
