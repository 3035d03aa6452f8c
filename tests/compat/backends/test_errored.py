"""The real program cannot save its state: `reconcile` names the case, and its commands work."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Statetool
from tests.compat.program import Output, Program
from tests.servers.http import Fault, StateServer, state_server

_APPLY: Final = ("apply", "-input=false", "-auto-approve", "-no-color")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories and backups of the tests are nobody else's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as running:
        yield running


@pytest.fixture
def module(real: Program, folder: Path, server: StateServer) -> Path:
    """A root module whose state is on the server, initialised, without a state."""
    _declare(folder, server, "a")
    _done(real.run(folder, "init", "-input=false"))
    return folder


def _declare(folder: Path, server: StateServer, names: str, more: str = "") -> None:
    backend = "".join(f'    {name} = "{server.url}"\n' for name in ("address", "lock_address", "unlock_address"))
    resources = "".join(f'resource "terraform_data" "{name}" {{ input = "{name}" }}\n' for name in names)
    text = f'terraform {{\n  backend "http" {{\n{backend}    retry_max = 0\n  }}\n}}\n{resources}{more}'
    (folder / "main.tf").write_text(text)


def _done(output: Output) -> None:
    assert output.status == 0, output.err


def _fail_to_save(real: Program, folder: Path, server: StateServer) -> None:
    # After an answer 500, the program would repeat the request.
    server.faults = [("POST", Fault(status=400))] * 5
    output = real.run(folder, *_APPLY)
    assert output.status == 1
    assert "Failed to persist state to backend" in output.err
    assert len(server.faults) == 4, "the apply tries to save once"
    server.faults = []


def _reconciled(statetool: Statetool, case: str, status: int = 1) -> Any:
    result = statetool("reconcile", "errored.tfstate", "--format", "json")
    document = json.loads(result.out)
    assert (result.status, document["case"]) == (status, case)
    return document


def _push_command(document: Any, program: str) -> list[str]:
    """The arguments of the command that `reconcile` prints for the program."""
    lines = [shlex.split(line) for step in document["steps"] for line in step["commands"]]
    (found,) = [line[1:] for line in lines if line[0] == program and "push" in line]
    return found


def _push(real: Program, folder: Path, document: Any) -> Output:
    return real.run(folder, *_push_command(document, "tofu" if real.engine == "opentofu" else "terraform"))


def test_the_first_apply(real: Program, module: Path, server: StateServer, statetool: Statetool) -> None:
    _fail_to_save(real, module, server)
    document = _reconciled(statetool, "push")
    assert document["stored"] == {"location": server.url, "exists": False}
    assert [one["address"] for one in document["only_errored"]] == ["terraform_data.a"]
    _done(_push(real, module, document))
    # The program made a new lineage, and would refuse to push the file again.
    document = _reconciled(statetool, "already_stored", 0)
    assert document["errored"]["lineage"] != document["stored"]["lineage"]
    _assert_refused(real, module, document)
    assert real.run(module, "plan", "-input=false", "-detailed-exitcode").status == 0


def test_a_later_apply(real: Program, module: Path, server: StateServer, statetool: Statetool) -> None:
    """It creates one object, destroys another one and changes a third."""
    _declare(module, server, "ab", 'resource "terraform_data" "c" { input = 1 }\n')
    _done(real.run(module, *_APPLY))
    _declare(module, server, "ad", 'resource "terraform_data" "c" { input = 2 }\n')
    _fail_to_save(real, module, server)
    document = _reconciled(statetool, "push")
    assert document["errored"]["serial"] == document["stored"]["serial"] + 1
    assert [one["address"] for one in document["only_errored"]] == ["terraform_data.d"]
    assert [one["address"] for one in document["only_stored"]] == ["terraform_data.b"]
    assert document["differing"] == ["terraform_data.c"]
    _done(_push(real, module, document))
    document = _reconciled(statetool, "already_stored", 0)
    assert document["stored"]["serial"] == document["errored"]["serial"] + 1
    _assert_refused(real, module, document)
    assert real.run(module, "plan", "-input=false", "-detailed-exitcode").status == 0


@pytest.mark.parametrize("applies", [1, 2])
def test_another_apply_in_between(
    applies: int, real: Program, module: Path, server: StateServer, statetool: Statetool
) -> None:
    _done(real.run(module, *_APPLY))
    _declare(module, server, "ab")
    _fail_to_save(real, module, server)
    for number in range(applies):
        _declare(module, server, "ac"[: 2 + number], f'output "o" {{ value = {number} }}\n')
        _done(real.run(module, *_APPLY))
    document = _reconciled(statetool, "both")
    assert document["push"]["answer"] == ("same_serial" if applies == 1 else "older_serial")
    _assert_refused(real, module, document)

    # What to do instead: after an import, one state has both objects.
    ids = {one["address"]: one["id"] for one in document["only_errored"]}
    assert list(ids) == ["terraform_data.b"]
    blocks = "\n".join(block for step in document["steps"] for block in step["blocks"])
    _declare(module, server, "abc", blocks)
    _done(real.run(module, *_APPLY))
    stored = json.loads(server.state or b"")
    found = {one["name"]: one["instances"][0]["attributes"]["id"] for one in stored["resources"]}
    assert found["b"] == ids["terraform_data.b"]
    assert sorted(found) == ["a", "b", "c"]


def test_an_apply_again(real: Program, module: Path, server: StateServer, statetool: Statetool) -> None:
    """The same configuration again: two objects for one address."""
    _fail_to_save(real, module, server)
    # Where nothing was stored, the second apply makes another lineage.
    _done(real.run(module, *_APPLY))
    document = _reconciled(statetool, "other_lineage")
    _assert_refused(real, module, document)
    (one,), (other,) = document["only_errored"], document["only_stored"]
    assert one["address"] == other["address"] == "terraform_data.a"
    assert (one["id"], one["other_id"]) == (other["other_id"], other["id"])


def test_everything_was_destroyed_in_between(
    real: Program, module: Path, server: StateServer, statetool: Statetool
) -> None:
    """The program would take anything over an empty state, so it is `reconcile` that warns."""
    _done(real.run(module, *_APPLY))
    _declare(module, server, "ab")
    _fail_to_save(real, module, server)
    _done(real.run(module, "destroy", "-input=false", "-auto-approve"))
    document = _reconciled(statetool, "both")
    assert document["push"] == {"answer": "accepted", "refusal": ""}
    _done(real.run(module, "state", "push", "errored.tfstate"))


def _assert_refused(real: Program, folder: Path, document: Any) -> None:
    """The program refuses to push, for the reason that `reconcile` gave."""
    assert document["push"]["refusal"]
    pushed = real.run(folder, "state", "push", "errored.tfstate")
    assert pushed.status == 1
    assert document["push"]["refusal"] in " ".join(pushed.err.split())
