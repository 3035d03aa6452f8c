"""An operations file, its plan and a history write only below their folder, or where the user allows it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.adversary.runs import Forks
from tests.cli.conftest import Statetool
from tests.cli.states import resource, state
from tests.store.local.test_watched import NEEDS_STRACE

MOVE = "move {\n  from = state.a.terraform_data.a\n  to   = state.b.terraform_data.a\n}\n"


@pytest.fixture(autouse=True)
def clone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    for name in ("clone", "victim"):
        (folder / name).mkdir()
        (folder / name / "terraform.tfstate").write_bytes(state(resource("terraform_data", name[:1]), lineage=name))
    (folder / "clone/a.tfstate").write_bytes(state(resource("terraform_data", "a"), lineage="a"))


def _operations(path: str, *more: str) -> None:
    lines = "".join(f"  {line}\n" for line in more)
    Path("clone/x.hcl").write_text(
        f'state "a" {{\n  path = "a.tfstate"\n}}\nstate "b" {{\n  path = "{path}"\n{lines}}}\n{MOVE}'
    )


def _contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path("victim").rglob("*") if path.is_file()}


# How a file names a place outside: the path, and the link in the clone that it leads through.
WAYS = {
    "above": ("../victim/terraform.tfstate", "", ""),
    "above, by its folder": ("../victim", "", ""),
    "absolute": ("ABOVE/victim/terraform.tfstate", "", ""),
    "a link": ("link.tfstate", "link.tfstate", "../victim/terraform.tfstate"),
    "a link to a folder": ("sub/terraform.tfstate", "sub", "../victim"),
    "a link to the folder of a state": ("sub", "sub", "../victim"),
    "workspaces": ("app", "app/terraform.tfstate", "../../victim/terraform.tfstate"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("command", ["plan clone/x.hcl", "apply --yes clone/x.hcl"])
def test_a_state_outside_is_refused(command: str, way: str, statetool: Statetool) -> None:
    path, link, target = WAYS[way]
    if link:
        Path("clone", link).parent.mkdir(exist_ok=True)
        Path("clone", link).symlink_to(target)
    here = os.path.realpath(".")
    _operations(path.replace("ABOVE", here))
    before = _contents()
    done = statetool(*command.split())
    said = " ".join(done.err.split())
    assert (done.status, _contents()) == (2, before), said
    victim = f"{here}/victim" if path.endswith(("victim", "sub")) else f"{here}/victim/terraform.tfstate"
    assert f"--allow-path {victim}" in said
    if way != "workspaces":
        assert said.startswith("statetool: clone/x.hcl:5: clone/") or "ABOVE" in path
    assert statetool(*command.split(), "--allow-path", f"{here}/victim").status == 0


@pytest.mark.parametrize("create", [False, True])
def test_a_state_that_does_not_exist_yet(create: bool, statetool: Statetool) -> None:
    _operations("../new/b.tfstate", "create = true" if create else "")
    assert statetool("apply", "--yes", "clone/x.hcl").status == 2
    assert not Path("new").exists()
    done = statetool("apply", "--yes", "clone/x.hcl", "--allow-path", "new")
    assert (done.status, Path("new/b.tfstate").exists()) == ((0, True) if create else (2, False))


def test_the_variable(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    _operations("../victim/terraform.tfstate")
    for value, status in (("", 2), ("other", 2), (f"other{os.pathsep}victim", 0)):
        monkeypatch.setenv("STATETOOL_ALLOW_PATH", value)
        assert statetool("plan", "clone/x.hcl").status == status
    assert statetool("plan", "clone/x.hcl", "--allow-path", "").status == 2


def test_what_the_command_line_names_needs_no_option(statetool: Statetool) -> None:
    done = statetool(
        "mv", "--yes", "--from-state", "clone/a.tfstate", "--to-state", "victim/terraform.tfstate", "terraform_data.a"
    )
    assert done.status == 0
    assert statetool("undo", "--yes", "clone/a.tfstate").status == 0
    assert b'"a"' not in Path("victim/terraform.tfstate").read_bytes()


def test_an_undo_needs_the_option_without_a_record_of_this_machine(
    statetool: Statetool, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    """A clone brings its history along, which names any file; the record of the change is the user's."""
    _operations("../victim/terraform.tfstate")
    assert statetool("apply", "--yes", "clone/x.hcl", "--allow-path", "victim").status == 0
    before = _contents()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "other"))
    refused = statetool("undo", "--yes", "clone/a.tfstate")
    assert (refused.status, _contents()) == (2, before)
    assert f"use --allow-path {os.path.realpath('victim')}/terraform.tfstate" in " ".join(refused.err.split())
    assert statetool("undo", "--yes", "clone/a.tfstate", "--allow-path", "victim").status == 0
    assert b'"a"' not in Path("victim/terraform.tfstate").read_bytes()


@NEEDS_STRACE
@pytest.mark.parametrize("option", ["--resume", "--abort"])
def test_after_a_crash_no_option_is_needed_for_the_same_states(
    option: str, statetool: Statetool, forked: Forks, folder: Path
) -> None:
    """The user's own journal has the places that were allowed, and no link makes others of them."""
    Path("clone/sub").symlink_to("../victim")
    _operations("sub/terraform.tfstate")
    before = _contents()
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    arguments = ("apply", "-y", "clone/x.hcl", "--allow-path", "victim")
    assert forked(folder, *arguments, strace=kill, environment=environment).status == -signal.SIGKILL
    Path("other").mkdir()
    Path("other/terraform.tfstate").write_bytes(before["victim/terraform.tfstate"])
    Path("clone/sub").unlink()
    Path("clone/sub").symlink_to("../other")
    refused = statetool("apply", option, "clone/x.hcl")
    assert "when the apply of this file began; nothing was written" in " ".join(refused.err.split())
    assert [path.name for path in Path("other").iterdir()] == ["terraform.tfstate"]
    Path("clone/sub").unlink()
    Path("clone/sub").symlink_to("../victim")
    assert statetool("apply", option, "clone/x.hcl").status == 0
    assert (b'"a"' in Path("victim/terraform.tfstate").read_bytes()) is (option == "--resume")
