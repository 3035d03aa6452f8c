"""`statetool moves`: what it prints, the plans of several folders, wrong files, secrets and hostile text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from statefmt.edit.operations_file.read import read_operations_file
from tests.analysis.moves.build import change, gone, new, plan
from tests.cli.conftest import Program, Statetool
from tests.cli.test_json_output import _assert_valid

_RENAMED = plan(
    gone("module.a.aws_x.m", {"a": "x"}),
    gone("aws_x.old[0]", {"a": "y"}),
    gone("aws_x.lost", {"a": "z"}),
    gone("aws_x.one", {"a": "twin"}),
    new("module.b.aws_x.m", {"a": "x"}),
    new("aws_x.kept", {"a": "y"}),
    new("aws_x.twin[0]", {"a": "twin"}),
    new("aws_x.twin[1]", {"a": "twin"}),
    change("aws_x.old", "no-op"),
).source
_BLOCKS = """\
moved {
  from = aws_x.old[0]
  to   = aws_x.kept
}

moved {
  from = module.a
  to   = module.b
}

# Ambiguous: each of these objects of aws_x would be destroyed
#   aws_x.one
# and may be any of these, which would be created with equal attributes:
#   aws_x.twin[0]
#   aws_x.twin[1]
"""


@pytest.fixture(autouse=True)
def _folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "plan.json").write_bytes(_RENAMED)


def _write(path: str, *changes: dict[str, Any], **members: Any) -> str:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(plan(*changes, **members).source)
    return path


def test_blocks(statetool: Statetool) -> None:
    result = statetool("moves", "plan.json")
    assert result.text == _BLOCKS
    assert result.err == (
        "statetool: 2 moves of 2 instances; 1 ambiguous group; "
        "without a counterpart: 1 to destroy, 0 to create\n"
    )  # fmt: skip
    assert result.status == 1


def test_standard_input(program: Program, folder: Path) -> None:
    _write("one.json", gone("aws_x.a", {"a": "x"}), new("aws_x.b", {"a": "x"}))
    result = program("moves", "-", stdin=(folder / "one.json").read_bytes())
    assert (result.status, result.text) == (0, "moved {\n  from = aws_x.a\n  to   = aws_x.b\n}\n")


def test_nothing(statetool: Statetool) -> None:
    name = _write("none/plan.json", gone("aws_x.a", {"a": "x"}), new("aws_x.b", {"a": "y"}))
    result = statetool("moves", name)
    assert (result.status, result.out) == (0, b"")
    assert result.err == "statetool: no moves found; without a counterpart: 1 to destroy, 1 to create\n"


def test_several_folders(statetool: Statetool) -> None:
    names = [
        _write("envs/app/plan.json", gone("module.vpc.aws_x.m", {"a": "x"}), gone("aws_x.s", {"a": "y"})),
        _write("envs/net/plan.json", new("module.vpc.aws_x.m", {"a": "x"}), new('aws_x.t["$${k}"]', {"a": "y"})),
    ]
    result = statetool("moves", *names)
    assert (result.status, result.text) == (
        0,
        """\
state "app" {
  path = "envs/app"
}

state "net" {
  path = "envs/net"
}

move {
  from = state.app.aws_x.s
  to   = state.net.aws_x.t["$${k}"]
}

move {
  from = state.app.module.vpc
  to   = state.net.module.vpc
}
""",
    )
    file = read_operations_file("x.stateops.hcl", result.out)
    assert [getattr(operation.block, "to", "") for operation in file.operations] == [
        'state.net.aws_x.t["$${k}"]',
        "state.net.module.vpc",
    ]


@pytest.mark.parametrize(
    ("arguments", "states"),
    [
        (["p.json"], {"_folder_": "."}),
        (["a/p.json", "b/p.json"], {"a": "a", "b": "b"}),
        (["x/a/p.json", "y/a/p.json"], {"x-a": "x/a", "y-a": "y/a"}),
        (["a=p.json", "b=q.json"], {"a": "a", "b": "b"}),
        (["./1-a b/=p.json", "b=q.json"], {"state-1-a-b": "1-a b", "b": "b"}),
        (["with=sign/p.json", "b/p.json"], {"with-sign": "with=sign", "b": "b"}),
    ],
)
def test_names_of_states(arguments: list[str], states: dict[str, str], statetool: Statetool, folder: Path) -> None:
    for argument in arguments:
        own = argument if argument.startswith("with=") else argument.rpartition("=")[2]
        _write(own, gone("aws_x.a", {"a": argument}), new("aws_x.b", {"a": argument}))
    result = statetool("moves", "--operations", *arguments)
    found = {name: state.path for name, state in read_operations_file("x", result.out).states.items()}
    own_name = "".join(char if char.isalnum() or char in "_-" else "-" for char in folder.resolve().name).strip("-")
    assert found == {own_name if name == "_folder_" else name: path for name, path in states.items()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "-"], "only one of the plans can come from standard input"),
        (["plan.json", "./plan.json"], "two plans are of the folder .; write DIR=PLAN"),
        (["a=plan.json", "./a=plan.json"], "two plans are of the folder a"),
        (["missing.json"], "missing.json"),
        (["plan.json", "--ignore", "aws_x"], "write TYPE.ATTRIBUTE"),
        ([], "Missing argument"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, statetool: Statetool) -> None:
    result = statetool("moves", *arguments)
    assert (result.status, result.out) == (2, b"")
    assert message in result.err


@pytest.mark.parametrize("content", [b"", b"[]", b'{"version": 4, "serial": 1, "lineage": "l", "resources": []}'])
def test_wrong_files(content: bytes, statetool: Statetool, folder: Path) -> None:
    (folder / "other.json").write_bytes(content)
    result = statetool("moves", "other.json")
    assert (result.status, result.out) == (2, b"")
    assert "other.json" in result.err


def test_json(statetool: Statetool) -> None:
    result = statetool("moves", "plan.json", "--format", "json")
    document = json.loads(result.out)
    _assert_valid(document, "moves-output")
    assert (result.status, result.err) == (1, "")
    state = document["states"][0]["name"]
    assert document["states"] == [{"name": state, "path": ".", "plan": "plan.json"}]
    assert [(move["kind"], move["from"], move["to"], move["obstacle"]) for move in document["moves"]] == [
        ("instance", "aws_x.old[0]", "aws_x.kept", None),
        ("module", "module.a", "module.b", None),
    ]
    assert document["moves"][1]["instances"] == [
        {"from": "module.a.aws_x.m", "to": "module.b.aws_x.m", "evidence": "attributes", "attributes": ["a"]}
    ]
    assert document["ambiguous"][0]["created"] == [
        {"state": state, "address": f"aws_x.twin[{number}]"} for number in range(2)
    ]
    assert (document["destroyed"], document["created"]) == ([{"state": state, "address": "aws_x.lost"}], [])


def test_a_move_that_no_block_can_express(statetool: Statetool) -> None:
    name = _write("x/plan.json", gone("aws_x.a", {"a": "x"}), new("aws_x.b", {"a": "x"}), new("aws_x.a[5]", {"a": "y"}))
    result = statetool("moves", name)
    assert result.text.startswith("# aws_x.a moved to aws_x.b: a block without keys would name the whole resource")
    document = json.loads(statetool("moves", name, "--format", "json").out)
    assert "still in the configuration" in document["moves"][0]["obstacle"]


def test_nearly_equal_objects(statetool: Statetool) -> None:
    changes = gone("aws_x.a", {"a": "x", "b": "secret"}), new("aws_x.b", {"a": "x", "b": "canary"})
    name = _write("x/plan.json", *changes)
    assert statetool("moves", name).text == "# No pairs, since these attributes differ:\n#   aws_x.a and aws_x.b: b\n"
    document = json.loads(statetool("moves", name, "--format", "json").out)
    _assert_valid(document, "moves-output")
    assert document["nearly_equal"] == [
        {
            "destroyed": {"state": "x", "address": "aws_x.a"},
            "created": {"state": "x", "address": "aws_x.b"},
            "attributes": ["b"],
        }
    ]
    assert statetool("moves", name, "--ignore", "aws_x.b").text.startswith("moved {")


def test_warnings(statetool: Statetool) -> None:
    name = _write("x/plan.json", errored=True)
    result = statetool("moves", name, "--ignore", "aws_x.typo", "--ignore", "*.other")
    assert result.status == 1
    failed, _, *unused = result.err.splitlines()
    assert failed == f"statetool: {name}: planning failed: this plan is not complete and cannot be applied"
    assert unused == [
        "statetool: warning: --ignore aws_x.typo: no object that is destroyed or created has this attribute",
        "statetool: warning: --ignore *.other: no object that is destroyed or created has this attribute",
    ]


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"complete": False}, "this plan is not complete: after applying it, another one is needed"),
        ({"novel": [1]}, "this plan has members that this version does not know, and does not show: /novel"),
    ],
)
def test_a_plan_that_may_lack_changes(members: dict[str, Any], told: str, statetool: Statetool) -> None:
    result = statetool("moves", _write("x/plan.json", **members))
    assert result.status == 0
    assert result.err.startswith(f"statetool: warning: x/plan.json: {told}\n")


@pytest.mark.parametrize("options", [[], ["--operations"], ["--format", "json"]])
def test_no_value_is_shown(options: list[str], statetool: Statetool) -> None:
    """Sensitive values are compared, too."""
    secret: Any = {"password": "canary-7f3a"}
    marked = {"before_sensitive": {"password": True}, "after_sensitive": {"password": True}}
    changes = [gone("aws_x.a", secret), new("aws_x.b", secret), *(gone(f"aws_x.c{n}", {"a": "canary"}) for n in (1, 2))]
    for each in changes:
        each["change"] |= marked
    result = statetool("moves", _write("x/plan.json", *changes, new("aws_x.d", {"a": "canary"})), *options)
    assert "aws_x.b" in result.text
    assert "canary" not in result.text + result.err


def test_text_from_a_plan_is_data(statetool: Statetool) -> None:
    """A key cannot end its block or its comment, or act on a terminal."""
    key = "x\\u001b[31m\\n}\\nmoved { # \\u202e"
    changes = [gone(f'aws_x.a["{key}"]', {"a": "x"}), new(f'aws_x.b["{key}"]', {"a": "x"})]
    changes += [gone(f'aws_x.c["{key}"]', {"a": "y"}), new("aws_x.d", {"a": "y"}), new("aws_x.e", {"a": "y"})]
    result = statetool("moves", _write("x/plan.json", *changes))
    assert result.text.count("\n") == 9 + 1
    assert "\x1b" not in result.text
    assert "\u202e" not in result.text
    assert sum(line.startswith("moved {") for line in result.text.splitlines()) == 1


def test_evaluated_arguments_of_provider_instances(statetool: Statetool, folder: Path) -> None:
    """The variables of the plan count, not the files."""
    (folder / "main.tf").write_text(
        """
        variable "regions" {
          type    = map(string)
          default = { eu = "us-east-1", us = "eu-west-1" }
        }
        provider "aws" {
          alias    = "by_region"
          for_each = var.regions
          region   = each.value
        }
        resource "aws_sqs_queue" "jobs" {
          for_each = var.regions
          provider = aws.by_region[each.key]
          name     = "jobs"
        }
        """
    )
    arn = "arn:aws:sqs:{}:111111111111:jobs"
    name = _write(
        "regions.json",
        gone("aws_sqs_queue.jobs_eu", {"name": "jobs", "arn": arn.format("eu-west-1")}),
        gone("aws_sqs_queue.jobs_us", {"name": "jobs", "arn": arn.format("us-east-1")}),
        new('aws_sqs_queue.jobs["eu"]', {"name": "jobs"}, {"arn": True}),
        new('aws_sqs_queue.jobs["us"]', {"name": "jobs"}, {"arn": True}),
        variables={"regions": {"value": {"eu": "eu-west-1", "us": "us-east-1"}}},
    )
    assert statetool("moves", name).status == 1
    found = statetool("moves", name, "--config", ".")
    assert found.status == 0
    assert found.text == (
        'moved {\n  from = aws_sqs_queue.jobs_eu\n  to   = aws_sqs_queue.jobs["eu"]\n}\n\n'
        'moved {\n  from = aws_sqs_queue.jobs_us\n  to   = aws_sqs_queue.jobs["us"]\n}\n'
    )
    other = _write("other/plan.json", gone("aws_x.a", {"a": "x"}))
    found = statetool("moves", name, other, "--config", ".")
    assert found.status == 2
    assert "is the configuration of one plan" in found.err
    found = statetool("moves", name, "--var", "a=b")
    assert found.status == 2
    assert "Invalid value for --var: requires a configuration" in found.err
