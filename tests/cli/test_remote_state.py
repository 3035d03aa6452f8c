"""In a folder with a backend, each command says how it can be run: through a pipe, or on a copy."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from statefmt.cli.names import COMMANDS
from statefmt.cli.outcome import COPIES, EDITS, INSTEAD
from statefmt.cli.program import command_named
from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES

_LOCKED: Final = 'provider "registry.terraform.io/hashicorp/aws" {\n}\n'
_HEAD: Final = "statetool: the state of this folder is stored in the backend 'gcs'; statetool itself opens local"


@pytest.fixture
def backend(folder: Path) -> Path:
    """A folder that `terraform init` prepared for a backend."""
    (folder / ".terraform").mkdir()
    (folder / ".terraform" / "terraform.tfstate").write_text('{"version":3,"backend":{"type":"gcs","config":{}}}')
    (folder / ".terraform.lock.hcl").write_text(_LOCKED)
    return folder


def _advice(statetool: Statetool, *arguments: str) -> list[str]:
    done = statetool(*arguments)
    assert (done.status, done.out) == (2, b"")
    assert " ".join(done.err.split()).startswith(_HEAD)
    return [line.strip() for line in done.err.partition(":\n")[2].splitlines()]


@pytest.mark.parametrize(
    "command", ["list", "show", "providers", "outputs", "stats", "graph", "check", "encryption-info"]
)
def test_commands_that_only_read_push_nothing(command: str, statetool: Statetool, backend: Path) -> None:
    name = command.split(maxsplit=1)[0].replace("ls", "list")
    assert _advice(statetool, *command.split()) == [f"terraform state pull | statetool {name} --state -"]


@pytest.mark.parametrize("command", ["mv a.b a.c", "rm a.b", "rekey a.b --map 0=x", "taint a.b", "set-serial 9"])
def test_edits_are_shown_before_they_are_pushed(command: str, statetool: Statetool, backend: Path) -> None:
    pipe = f"terraform state pull | statetool {command.split(maxsplit=1)[0]} --state - …"
    assert _advice(statetool, *command.split()) == [f"{pipe} --dry-run", f"{pipe} | terraform state push -"]


@pytest.mark.parametrize("command", ["upgrade", "fmt", "undo", "history", "downgrade --for 1.8"])
def test_other_commands_work_on_a_copy(command: str, statetool: Statetool, backend: Path) -> None:
    assert _advice(statetool, *command.split()) == [
        "(umask 077; terraform state pull > copy.tfstate)",
        f"statetool {command.split(maxsplit=1)[0]} --state copy.tfstate …",
    ]


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("locks", ["terraform plan -refresh=false"]),
        ("unlock 7", ["terraform force-unlock ID"]),
        ("diff . other.tfstate", ["terraform state pull | statetool diff - …"]),
        (
            "copy . other.tfstate",
            ["(umask 077; terraform state pull > copy.tfstate)", "terraform state push copy.tfstate"],
        ),
    ],
)
def test_commands_that_take_no_pipe(command: str, lines: list[str], statetool: Statetool, backend: Path) -> None:
    assert _advice(statetool, *command.split()) == lines


def test_the_folder_and_the_workspace_are_those_that_were_asked_for(
    statetool: Statetool, backend: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a folder whose name needs quotes."""
    backend.rename(backend.parent / "the app")
    monkeypatch.chdir(backend.parent)
    done = statetool("list", "--state", "the app", "--workspace", "dev")
    assert "statetool: the app: its state is stored in the backend 'gcs'" in done.err
    assert done.err.partition(":\n")[2].strip() == (
        "TF_WORKSPACE=dev terraform '-chdir=the app' state pull | statetool list --state -"
    )


def test_a_block_that_was_not_initialised(statetool: Statetool, backend: Path) -> None:
    (backend / ".terraform" / "terraform.tfstate").unlink()
    (backend / "main.tf").write_text('terraform {\n  backend "gcs" {}\n}\n')
    assert _advice(statetool, "list") == ["terraform state pull | statetool list --state -"]
    assert [line.strip() for line in statetool("workspaces").err.splitlines()][-1] == "terraform workspace list"


def test_both_programs_are_named_if_nothing_tells_which(statetool: Statetool, backend: Path) -> None:
    (backend / ".terraform.lock.hcl").unlink()
    assert _advice(statetool, "list") == [
        "tofu state pull | statetool list --state -",
        "terraform state pull | statetool list --state -",
    ]


def test_every_command_has_the_advice_for_its_kind() -> None:
    """Commands with --dry-run write a state."""
    writing = {name for name in COMMANDS if any("--dry-run" in one.opts for one in command_named(name).params)}
    assert writing <= EDITS | COPIES | INSTEAD.keys()
    assert writing >= EDITS
    assert not EDITS & COPIES


def test_the_advised_pipes_work(program: Statetool, folder: Path) -> None:
    """With the state in place of what the real program pulls."""
    path = SAMPLES / "v4-resource-level.tfstate"
    listed = program("list", "--state", str(path))
    piped = program("list", "--state", "-", stdin=path.read_bytes())
    assert piped == listed
    moved = program("mv", "--state", "-", "module.network", "module.net", stdin=path.read_bytes())
    assert moved.status == 0
    assert b'"module.net"' in moved.out
