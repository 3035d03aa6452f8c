"""`statetool diff` of what a real program did to a state, and its statements in the hands of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Statetool
from tests.compat.program import Program

_PROVIDER = 'provider["terraform.io/builtin/terraform"]'


def _data(name: str, *ids: str, module: str = "", keys: tuple[object, ...] = (), **more: Any) -> dict[str, Any]:
    instances = []
    for place, id_ in enumerate(ids):
        attributes = {"id": id_, "input": None, "output": None, "triggers_replace": None}
        key = {"index_key": keys[place]} if keys else {}
        instances.append({"schema_version": 0, **key, "attributes": attributes, "sensitive_attributes": [], **more})
    head = {"module": module} if module else {}
    resource = {"mode": "managed", "type": "terraform_data", "name": name, "provider": _PROVIDER}
    return {**head, **resource, "instances": instances}


def _state(*resources: dict[str, Any]) -> bytes:
    document = {"version": 4, "terraform_version": "1.7.0", "serial": 1, "lineage": "l", "outputs": {}}
    return json.dumps({**document, "resources": resources, "check_results": None}).encode()


# A state, what is moved where, and what is told: moves, and what changed in what.
MOVES = [
    (
        [_data("a", "1"), _data("b", "2", dependencies=["terraform_data.a"])],
        ("terraform_data.a", "terraform_data.c"),
        ["terraform_data.a to terraform_data.c"],
        {"terraform_data.b": ["- terraform_data.a"]},
    ),
    (
        [_data("a", "1", module="module.m"), _data("b", "2", "3", module="module.m", keys=(0, 1)), _data("c", "4")],
        ("module.m", "module.n"),
        ["module.m to module.n"],
        {},
    ),
    (
        [_data("a", "1", "2", keys=("x", "y"), dependencies=["terraform_data.b"]), _data("b", "3")],
        ('terraform_data.a["x"]', "terraform_data.d"),
        ['terraform_data.a["x"] to terraform_data.d'],
        {},
    ),
]


@pytest.mark.parametrize(("resources", "move", "moves", "dropped"), MOVES, ids=[case[1][0] for case in MOVES])
def test_state_mv(
    resources: list[dict[str, Any]],
    move: tuple[str, str],
    moves: list[str],
    dropped: dict[str, list[str]],
    real: Program,
    statetool: Statetool,
    folder: Path,
) -> None:
    """That move, the dependencies that the program dropped, and the serial and release that it wrote."""
    for name in ("old", "new"):
        (folder / name).write_bytes(_state(*resources))
    done = real.run(folder, "state", "mv", "-state=new", *move)
    assert done.status == 0, done.err
    document = json.loads(statetool("diff", "old", "new", "--format", "json").out)
    assert [f"{found['from']} to {found['to']}" for found in document["moves"]] == moves
    told = {
        instance["address"]: [f"- {one['old']}" for one in instance["changes"]]
        for instance in document["changed"]
        if {(one["member"], one["change"]) for one in instance["changes"]} == {("dependencies", "removed")}
    }
    assert told == dropped
    assert len(document["changed"]) == len(dropped)
    assert {found["name"] for found in document["envelope"]} == {"serial", "terraform_version"}
    assert [document[name] for name in ("added", "removed", "rebound", "resources", "outputs")] == [[]] * 5


OLD = [
    _data("renamed", "1"),
    _data("counted", "2", "3", keys=(0, 1)),
    _data("in", "4", module="module.m"),
    _data("deeper", "5", "6", module="module.m", keys=("x", "y ${z}")),
    _data("forgotten", "7", "8", keys=(0, 1)),
    _data("stays", "9"),
]
NEW = [
    _data("named", "1"),
    _data("counted", "2", "3", keys=("p", "q")),
    _data("in", "4", module="module.n"),
    _data("deeper", "5", "6", module="module.n", keys=("x", "y ${z}")),
    _data("stays", "9"),
    _data("imported", "0b0e"),
]
# The first releases that read removed blocks as they are written here.
_REMOVED_BLOCKS = {"terraform": (1, 7), "opentofu": (1, 10)}
# Configuration of the new state.
ROOT = """
resource "terraform_data" "named" {}
resource "terraform_data" "counted" { for_each = toset(["p", "q"]) }
resource "terraform_data" "stays" {}
resource "terraform_data" "imported" {}
module "n" { source = "./n" }
"""
MODULE = """
resource "terraform_data" "in" {}
resource "terraform_data" "deeper" { for_each = toset(["x", "y $${z}"]) }
"""


def test_statements_make_the_same_of_the_old_state(real: Program, statetool: Statetool, folder: Path) -> None:
    if real.minor < _REMOVED_BLOCKS[real.engine]:
        pytest.skip(f"{real.release} knows no removed blocks with a lifecycle")
    (folder / "new").write_bytes(_state(*NEW))
    (folder / "terraform.tfstate").write_bytes(_state(*OLD))
    statements = statetool("diff", "terraform.tfstate", "new", "--moved-blocks")
    assert statements.status == 1
    (folder / "n").mkdir()
    (folder / "n/main.tf").write_text(MODULE)
    (folder / "main.tf").write_text(ROOT + statements.text)
    for command in (("init", "-input=false"), ("apply", "-input=false", "-auto-approve")):
        done = real.run(folder, *command)
        assert done.status == 0, done.err
    assert "1 imported, 0 added, 0 changed, 0 destroyed" in done.out
    left = statetool("diff", "new", "terraform.tfstate", "--only", "added,removed,moved,rebound")
    assert (left.status, left.text) == (0, "no differences\n")


def test_statements_are_laid_out_as_fmt_does_it(real: Program, statetool: Statetool, folder: Path) -> None:
    (folder / "old").write_bytes(_state(*OLD))
    (folder / "new").write_bytes(_state(*NEW))
    (folder / "blocks.tf").write_bytes(statetool("diff", "old", "new", "--moved-blocks").out)
    done = real.run(folder, "fmt", "-check", "-diff", "blocks.tf")
    assert (done.status, done.out) == (0, "")
