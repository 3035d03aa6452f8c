"""The history of a state in a backend, and what goes back to it: as for a file, under the state home."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import PROGRAM, Program as Process, Statetool
from tests.cli.states import state as state_of
from tests.servers.http import Fault, StateServer, state_server

_ONE: Final = state_of(
    {
        "mode": "managed",
        "type": "terraform_data",
        "name": "a",
        "provider": 'provider["terraform.io/builtin/terraform"]',
        "instances": [{"schema_version": 0, "attributes": {"id": "1"}, "sensitive_attributes": []}],
    }
)


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as running:
        running.state = _ONE
        yield running


@pytest.fixture
def state(server: StateServer) -> str:
    return f"{server.url}?lock_address={server.url}&unlock_address={server.url}"


@pytest.fixture(autouse=True)
def home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    monkeypatch.setenv("COLUMNS", "1000")
    return folder / "home"


def _told(content: bytes | None) -> Any:
    """What a state says, without its serial."""
    assert content is not None
    return {name: value for name, value in json.loads(content).items() if name != "serial"}


def _serial(server: StateServer) -> int:
    assert server.state is not None
    serial: int = json.loads(server.state)["serial"]
    return serial


def test_undo_twice(statetool: Statetool, server: StateServer, state: str, home: Path) -> None:
    serial = _serial(server)
    moved = statetool("mv", "terraform_data.a", "terraform_data.b", "--state", state)
    assert moved.status == 0, moved.err
    kept = re.search(r"kept in (\S+)", moved.err)
    assert kept is not None
    assert Path(kept[1]).parent.parent == home / "statetool/states"
    assert Path(kept[1]).read_bytes() == _ONE
    after = server.state
    assert statetool("undo", state).status == 0
    assert (_told(server.state), _serial(server)) == (_told(_ONE), serial + 2)
    assert statetool("undo", state).status == 0
    assert (_told(server.state), _serial(server)) == (_told(after), serial + 3)
    assert server.holder is None
    # As written by statetool, but for the serial.
    assert after is not None
    assert server.state == after.replace(b'"serial": %d' % (serial + 1), b'"serial": %d' % (serial + 3))


def test_history(statetool: Statetool, server: StateServer, state: str) -> None:
    assert "no edits by statetool are recorded" in statetool("history", state).err
    assert statetool("mv", "terraform_data.a", "terraform_data.b", "--state", state).status == 0
    found = json.loads(statetool("history", state, "--format", "json").out)
    assert (found["keep"], found["changed_since"], len(found["edits"])) == (10, False, 1)
    assert found["edits"][0]["command"].startswith("mv terraform_data.a terraform_data.b")
    assert statetool("history", state, "--content", "1").out == _ONE
    server.state = _ONE
    assert "Something else has changed" in statetool("history", state).text
    refused = statetool("undo", state)
    assert refused.status == 2
    assert "something else has changed the state since edit 1" in refused.err
    assert server.state == _ONE


def test_history_without_the_server(statetool: Statetool, server: StateServer, state: str) -> None:
    assert statetool("mv", "terraform_data.a", "terraform_data.b", "--state", state).status == 0
    server.checks_user = True
    done = statetool("history", state)
    assert (done.status, "mv terraform_data.a" in done.text) == (0, True)
    assert "the server needs credentials" in done.err
    assert "whether something else has changed the state since the last edit is not known" in done.err
    found = json.loads(statetool("history", state, "--format", "json").out)
    assert (found["changed_since"], len(found["edits"])) == (None, 1)


def test_history_after_a_killed_edit(
    statetool: Statetool, server: StateServer, state: str, home: Path, program: Process
) -> None:
    """It wrote the state, and had no time to say so."""
    server.faults.append(("POST", Fault(hangs=True)))
    command = [str(PROGRAM), "mv", "terraform_data.a", "terraform_data.b", "--state", state]
    environment = {**program.environment, "XDG_STATE_HOME": str(home)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
        while server.state == _ONE:
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
    done = statetool("history", state)
    assert "mv terraform_data.a terraform_data.b" in done.text
    assert "Something else has changed" not in done.text


def test_prune(statetool: Statetool, server: StateServer, state: str, home: Path) -> None:
    assert "nothing to delete" in statetool("history", state, "--prune", "--yes").text
    for one, other in (("a", "b"), ("b", "c"), ("c", "d")):
        assert statetool("mv", f"terraform_data.{one}", f"terraform_data.{other}", "--state", state).status == 0
    assert len(list(home.rglob("*.backup"))) == 3
    requests = len(server.requests)
    assert statetool("history", state, "--prune", "--keep", "1", "--yes").status == 0
    assert len(list(home.rglob("*.backup"))) == 1
    assert len(server.requests) == requests
    found = json.loads(statetool("history", state, "--format", "json").out)
    assert (found["keep"], [edit["number"] for edit in found["edits"]]) == (1, [3])


def test_restore(statetool: Statetool, server: StateServer, state: str, folder: Path) -> None:
    (folder / "old").write_bytes(_ONE)
    assert statetool("mv", "terraform_data.a", "terraform_data.b", "--state", state).status == 0
    done = statetool("restore", "old", state, "--yes")
    assert done.status == 0, done.err
    assert (_told(server.state), _serial(server)) == (_told(_ONE), json.loads(_ONE)["serial"] + 2)
    server.state = b"{ damaged"
    done = statetool("restore", "old", state, "--yes")
    assert done.status == 0, done.err
    assert _told(server.state) == _told(_ONE)


def test_a_history_that_cannot_be_written(statetool: Statetool, server: StateServer, state: str, home: Path) -> None:
    home.write_text("a file")
    edit = ("mv", "terraform_data.a", "terraform_data.b", "--state", state)
    refused = statetool(*edit)
    assert refused.status == 2
    assert "STATETOOL_REMOTE_HISTORY=off" in refused.err
    assert (server.state, server.holder) == (_ONE, None)
    assert "POST" not in server.methods


@pytest.mark.parametrize(
    ("method", "status", "said"),
    [
        ("LOCK", 405, "the server answered the lock with status 405; check lock_address and lock_method"),
        ("POST", 413, "the server answered the write with status 413; nothing was written"),
    ],
)
def test_a_refused_request(
    method: str, status: int, said: str, statetool: Statetool, server: StateServer, state: str
) -> None:
    server.faults.append((method, Fault(status=status)))
    refused = statetool("rm", "terraform_data.a", "--state", state, "--yes")
    assert (refused.status, server.state, server.holder) == (2, _ONE, None)
    assert said in refused.err


def test_a_lost_write_is_no_lost_answer(statetool: Statetool, server: StateServer, state: str) -> None:
    server.faults.append(("POST", Fault(ignored=True)))
    refused = statetool("rm", "terraform_data.a", "--state", state, "--yes")
    assert (refused.status, server.state) == (2, _ONE)
    assert "the write could not be confirmed (" in refused.err
    assert "the server confirmed the write, but has other content" in refused.err


def test_a_lock_that_is_left(statetool: Statetool, server: StateServer, state: str) -> None:
    server.faults.append(("UNLOCK", Fault(status=403)))
    done = statetool("rm", "terraform_data.a", "--state", state, "--yes")
    assert f"may be left; `statetool unlock {server.lock_id} --state '{state}'` removes it" in done.err
    # The server cannot be asked for it.
    assert "statetool locks" not in done.err
    assert statetool("unlock", server.lock_id, "--state", state, "--yes").status == 0
    assert server.holder is None


def test_a_held_lock(statetool: Statetool, server: StateServer, state: str) -> None:
    server.holder = {"ID": "7", "Who": "you@\x1b[2Jthere", "Operation": "apply", "Info": "a\nb"}
    refused = statetool("rm", "terraform_data.a", "--state", state)
    assert refused.status == 2
    lines = refused.err.splitlines()
    assert f"`statetool unlock 7 --state '{state}'`" in refused.err
    assert "  ID:        7" in lines
    assert r"  Who:       you@\x1b[2Jthere" in lines
    assert r"  Info:      a\x0ab" in lines
    assert server.state == _ONE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("method", ["LOCK", "GET", "POST", "UNLOCK"])
def test_a_signal_while_the_server_does_not_answer(
    server: StateServer, state: str, home: Path, program: Process, method: str, number: signal.Signals
) -> None:
    """The real program and the real client: what is asked again gets an answer."""
    server.faults.append((method, Fault(hangs=True)))
    command = [str(PROGRAM), "mv", "terraform_data.a", "terraform_data.b", "--state", state]
    environment = {**program.environment, "STATETOOL_TIMEOUT": "1", "XDG_STATE_HOME": str(home)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
        while method not in server.methods:
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(number)
        _, err = process.communicate()
    assert server.holder is None, err
    written = method in ("POST", "UNLOCK")
    assert (server.state != _ONE) == written, err
    # Without a handler of its own, the program ends as the signal says; it handles SIGINT.
    assert process.returncode == (128 + signal.SIGINT if number == signal.SIGINT else -number), err
