"""`plan --from-tfmigrate`: shows what a migration does, and writes an operations file that does it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import resource, state

MIGRATION = """migration "multi_state" "split" {
  from_dir = "app"
  to_dir   = "net"
  actions = [
    "mv aws_vpc.main aws_vpc.main",
    "xmv aws_role.* aws_role.$${1}_net",
    "xmv aws_none.* aws_none.$1",
  ]
}
"""


@pytest.fixture(autouse=True)
def folders(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    app = state(resource("aws_vpc", "main", {}), resource("aws_role", "r", {}), lineage="app")
    for name, content in (("app", app), ("net", state(lineage="net"))):
        (folder / name).mkdir()
        (folder / name / "main.tf").touch()
        (folder / name / "terraform.tfstate").write_bytes(content)
    (folder / "tfmigrate").mkdir()
    (folder / "tfmigrate/split.hcl").write_text(MIGRATION)


def _states() -> list[bytes]:
    return [Path(name, "terraform.tfstate").read_bytes() for name in ("app", "net")]


def test_the_operations_file_does_what_was_shown(statetool: Statetool) -> None:
    old = _states()
    planned = statetool(
        "plan", "--from-tfmigrate", "tfmigrate/split.hcl", "--root", ".", "-o", "tfmigrate/split.stateops.hcl"
    )
    assert planned.status == 0
    # The states are outside of the folder of the file.
    here = os.path.realpath(".")
    applying = f"statetool apply --allow-path {here}/app --allow-path {here}/net tfmigrate/split.stateops.hcl"
    assert planned.err.splitlines() == [
        "statetool: warning: xmv aws_none.* aws_none.$1: nothing matches",
        "tfmigrate/split.stateops.hcl: written; review it, then run `" + applying + "`",
    ]
    assert [line for line in planned.text.splitlines() if line.startswith(("State ", "- ", "+ "))] == [
        "State app: app/terraform.tfstate", "- aws_role.r", "- aws_vpc.main",
        "State net: net/terraform.tfstate", "+ aws_role.r_net", "+ aws_vpc.main",
    ]  # fmt: skip
    assert _states() == old
    # Its paths are relative to itself.
    assert 'path      = "../app"' in Path("tfmigrate/split.stateops.hcl").read_text()
    assert statetool("apply", "-y", "tfmigrate/split.stateops.hcl").status == 2
    assert _states() == old
    assert statetool("apply", "-y", *shlex.split(applying)[2:]).status == 0
    assert statetool("list", "--state", "net").text == "aws_role.r_net\naws_vpc.main\n"
    assert statetool("list", "--state", "app").text == ""


def test_nothing_is_overwritten(statetool: Statetool) -> None:
    Path("x.hcl").write_text("mine")
    done = statetool("plan", "--from-tfmigrate", "tfmigrate/split.hcl", "--root", ".", "-o", "x.hcl")
    assert (done.status, Path("x.hcl").read_text()) == (2, "mine")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x.stateops.hcl", "--from-tfmigrate", "tfmigrate/split.hcl"), "cannot be combined with FILE"),
        ((), "Missing argument 'FILE'."),
        (("x.stateops.hcl", "--root", "."), "requires --from-tfmigrate"),
        (("--from-tfmigrate", "tfmigrate/split.hcl", "-o", "x.json"), "an operations file ends in .stateops.hcl"),
        (("--from-tfmigrate", "nowhere.hcl"), "nowhere.hcl"),
        (("--from-tfmigrate", "tfmigrate/split.hcl"), "--root DIR names the folder that tfmigrate runs in"),
    ],
)
def test_wrong_arguments(arguments: tuple[str, ...], message: str, statetool: Statetool) -> None:
    old = _states()
    done = statetool("plan", *arguments)
    assert (done.status, message in done.err) == (2, True)
    assert _states() == old


def test_as_blocks(statetool: Statetool) -> None:
    done = statetool("plan", "--from-tfmigrate", "tfmigrate/split.hcl", "--root", ".", "--as-blocks")
    # The objects have no id to import them by.
    assert (done.status, done.text.count("removed {"), done.text.count("it has no id")) == (1, 2, 2)
