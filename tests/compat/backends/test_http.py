"""statetool and the real program take turns with a state on an HTTP server, and keep each other out of it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from statefmt.cli.run import system_context
from statefmt.locations import current_state
from statefmt.store._http import HttpClient
from statefmt.store.backends import RemoteName
from tests.cli.conftest import Statetool
from tests.compat.holding import HOLDING, program_holds
from tests.compat.program import Executable, Output, Program
from tests.servers.http import StateServer, state_server

_PASSWORD: Final = "not-a-real-password"
_APPLY: Final = ("apply", "-input=false", "-auto-approve", "-no-color")
_PLAN: Final = ("plan", "-input=false", "-no-color")
_RESOURCES: Final = """
resource "terraform_data" "a" { input = "<&> é" }
resource "terraform_data" "b" {}
"""
_RENAMED: Final = _RESOURCES.replace('"a"', '"c"')


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories and backups of the tests are nobody else's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as running:
        running.checks_user = True
        yield running


@pytest.fixture
def module(real: Program, folder: Path, server: StateServer) -> Path:
    """A root module with a state on the server, which has been initialised and applied."""
    _configure(folder, server, _RESOURCES)
    _done(real.run(folder, "init", "-input=false"))
    _done(real.run(folder, *_APPLY))
    return folder


def _configure(folder: Path, server: StateServer, resources: str) -> None:
    settings = dict.fromkeys(("address", "lock_address", "unlock_address"), server.url)
    settings |= {"username": "demo", "password": _PASSWORD}
    lines = "".join(f"    {name} = {json.dumps(value)}\n" for name, value in settings.items())
    (folder / "main.tf").write_text(f'terraform {{\n  backend "http" {{\n{lines}  }}\n}}\n{resources}')


def _done(output: Output) -> Output:
    assert output.status == 0, output.err or output.out
    return output


def _words(message: str) -> str:
    return " ".join(re.sub(r"\x1b\[\d*m|[│╷╵]", " ", message).split())


def _state(server: StateServer) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(server.state or b"")
    return state


def _names(server: StateServer) -> list[str]:
    return sorted(resource["name"] for resource in _state(server)["resources"])


def _client() -> HttpClient:
    context = system_context()
    name = current_state(context)
    assert isinstance(name, RemoteName)
    return HttpClient(name.place, context.connection())


@contextmanager
def _program_holds(real: Program, folder: Path, server: StateServer) -> Iterator[None]:
    """The real program is in the middle of an apply, which ends with the context."""
    _configure(folder, server, _RESOURCES + HOLDING)
    with program_holds(real, folder):
        yield


def test_plan_after_surgery(real: Program, module: Path, server: StateServer, statetool: Statetool) -> None:
    before = (server.state or b"").decode()
    moved = statetool("mv", "terraform_data.a", "terraform_data.c")
    assert moved.status == 0, moved.err
    # As the program writes it: the same bytes but for the name and the serial.
    expected = before.replace('"name": "a"', '"name": "c"').replace('"serial": 1,', '"serial": 2,')
    assert sorted((server.state or b"").decode().splitlines()) == sorted(expected.splitlines())
    _configure(module, server, _RENAMED)
    assert "No changes" in _done(real.run(module, *_PLAN)).out
    removed = statetool("rm", "--yes", "terraform_data.b")
    assert removed.status == 0, removed.err
    _configure(module, server, _RENAMED.splitlines()[1])
    assert "No changes" in _done(real.run(module, *_PLAN)).out
    assert (_names(server), _state(server)["serial"]) == (["c"], 3)
    assert not server.lock_id
    for message in (moved, removed):
        assert _PASSWORD not in message.err + message.text


def test_statetool_keeps_the_program_out(real: Program, module: Path, server: StateServer) -> None:
    _configure(module, server, _RENAMED)
    context = system_context()
    with statefmt.open(current_state(context), context=context).edit("rename", lock_timeout=0) as edit:
        edit.move("terraform_data.a", "terraform_data.c")
        ours = server.lock_id
        refused = real.run(module, *_PLAN)
    assert refused.status == 1
    assert f"Error acquiring the state lock Error message: HTTP remote state already locked: ID={ours}" in _words(
        refused.err
    )
    assert "No changes" in _done(real.run(module, *_PLAN)).out


def test_the_program_keeps_statetool_out(
    real: Program, module: Path, server: StateServer, statetool: Statetool
) -> None:
    with _program_holds(real, module, server):
        assert server.holder is not None
        refused = statetool("mv", "terraform_data.a", "terraform_data.c")
        assert (refused.status, refused.out) == (2, b"")
        for said in (server.holder["Who"], server.holder["ID"], "nothing was written"):
            assert said in _words(refused.err)
    assert _names(server) == ["a", "b", "holder"]
    # The lock is free again.
    assert statetool("mv", "terraform_data.a", "terraform_data.c").status == 0


def test_statetool_waits_for_the_program(
    real: Program, module: Path, server: StateServer, statetool: Statetool
) -> None:
    """It edits what the program has written."""
    refused = 0

    def release(method: str) -> None:
        """Let the program go on once statetool has been refused."""
        nonlocal refused
        refused += method == "LOCK"
        if refused:
            (module / "release").touch()

    with _program_holds(real, module, server):
        server.listeners.append(release)
        done = statetool("mv", "--lock-timeout", "60s", "terraform_data.a", "terraform_data.c")
    assert done.status == 0, done.err
    assert refused >= 2
    assert _names(server) == ["b", "c", "holder"]


def test_the_program_forces_the_lock_of_statetool(real: Program, module: Path, server: StateServer) -> None:
    info = system_context().lock_info("", "mv", "statetool mv a b")
    _client().lock(info)
    assert server.lock_id == info.ID
    _done(real.run(module, "force-unlock", "-force", info.ID))
    assert not server.lock_id
    assert "No changes" in _done(real.run(module, *_PLAN)).out


def test_statetool_forces_the_lock_of_a_program_that_died(
    real: Program, module: Path, server: StateServer, statetool: Statetool
) -> None:
    if not isinstance(real, Executable):
        pytest.skip("it is no process of its own")
    _configure(module, server, _RESOURCES + HOLDING)
    with real.start(module, *_APPLY) as holder:
        while not (module / "held").exists():
            assert holder.poll() is None
            time.sleep(0.01)
        holder.kill()
    # The shell that it started outlives it.
    (module / "release").touch()
    assert statetool("mv", "terraform_data.a", "terraform_data.c").status == 2
    before = server.holder
    assert before is not None
    with pytest.raises(statefmt.StoreError, match=re.escape(before["ID"])):
        _client().force_unlock("00000000-0000-0000-0000-000000000000")
    assert server.holder == before
    found = _client().force_unlock(before["ID"])
    assert found is not None
    assert found.Operation == "OperationTypeApply"
    assert statetool("mv", "terraform_data.a", "terraform_data.c").status == 0


def _alternate(edits: int, real: Program, module: Path, server: StateServer, statetool: Statetool) -> None:
    ways = (
        lambda source, target: real.run(module, "state", "mv", source, target).status,
        lambda source, target: statetool("mv", source, target).status,
    )
    for number in range(edits):
        source, target = (f"terraform_data.{name}" for name in ("ac" if number % 2 == 0 else "ca"))
        assert ways[number % 2](source, target) == 0
        source, target = (f"terraform_data.{name}" for name in ("bd" if number % 2 == 0 else "db"))
        assert ways[1 - number % 2](source, target) == 0
        assert _state(server)["serial"] == 1 + 2 * (number + 1)
        assert _names(server) == (["c", "d"] if number % 2 == 0 else ["a", "b"])


def test_alternating_edits(real: Program, module: Path, server: StateServer, statetool: Statetool) -> None:
    _alternate(5, real, module, server, statetool)


@pytest.mark.slow
def test_many_alternating_edits(real: Program, module: Path, server: StateServer, statetool: Statetool) -> None:
    _alternate(25, real, module, server, statetool)
