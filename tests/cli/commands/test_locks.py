"""`locks` and `unlock`: who holds what, and how a lock that was left is removed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import statefmt
from statefmt.cli.run import system_context
from tests.cli.conftest import Statetool
from tests.cli.states import INDENTED
from tests.cli.test_json_output import _assert_valid
from tests.servers.http import StateServer, state_server

STATE = "terraform.tfstate"
INFO = ".terraform.tfstate.lock.info"
LEFT = {
    "ID": "9db590f1-b6fe-c5f2-2678-8804f089deba",
    "Operation": "OperationTypeApply",
    "Info": "",
    "Who": "ann@\u001b[31mhost",
    "Version": "1.11.4",
    "Created": "2026-01-02T03:04:05.6Z",
    "Path": STATE,
}


@pytest.fixture(autouse=True)
def state(folder: Path) -> Path:
    path = folder / STATE
    path.write_bytes(INDENTED)
    return path


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as server:
        yield server


def _names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def _words(message: str) -> str:
    return " ".join(message.split())


@contextmanager
def _posix_lock(path: Path) -> Iterator[int]:
    """Another process holds the lock as OpenTofu does; yields its number."""
    code = "import fcntl, sys; f = open(sys.argv[1], 'r+'); fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline()
        yield holder.pid
        holder.communicate(b"\n")


def test_nobody(statetool: Statetool) -> None:
    result = statetool("locks")
    assert (result.status, result.out, result.err) == (0, b"terraform.tfstate: not locked\n", "")
    assert _names() == [STATE]


def test_held_by_statetool(statetool: Statetool) -> None:
    with statefmt.open(STATE, context=system_context()).edit("hold it") as edit:
        result = statetool("locks", "--format", "json")
        edit.cancel()
    document = json.loads(result.out)
    _assert_valid(document, "locks-output")
    (found,) = document["states"]
    assert (result.status, document["locked"], found["status"]) == (1, 1, "held")
    assert found["lock"]["info"] == "hold it"
    assert found["state"] == STATE


def test_held_by_a_process(state: Path, statetool: Statetool) -> None:
    """A POSIX lock has the number of its process, and there is no lock information."""
    with _posix_lock(state) as process:
        result = statetool("locks")
        assert (result.status, result.out.decode()) == (1, f"{STATE}: locked by process {process}\n")
        refused = statetool("unlock", "x")
        assert refused.status == 2
        assert f"process {process} holds the lock. It is a lock of the operating system" in _words(refused.err)
    assert statetool("locks").status == 0


def test_left_by_a_dead_process(statetool: Statetool) -> None:
    Path(INFO).write_text(json.dumps(LEFT))
    result = statetool("locks")
    assert result.status == 0
    text = result.text
    assert "terraform.tfstate: not locked; a process that ended left its lock information behind" in text
    # What somebody else wrote is escaped.
    assert "ann@\\x1b[31mhost" in text
    assert "OperationTypeApply" in text
    _assert_valid(json.loads(statetool("locks", "--format", "json").out), "locks-output")


def test_unlock(state: Path, statetool: Statetool) -> None:
    Path(INFO).write_text(json.dumps(LEFT))
    wrong = statetool("unlock", "wrong", "--yes")
    assert wrong.status == 2
    assert f"the lock has the ID {LEFT['ID']}, not wrong; nothing was removed" in _words(wrong.err)
    assert "2026-01-02T03:04:05.6Z" in wrong.err
    unasked = statetool("unlock", LEFT["ID"])
    assert unasked.status == 2
    assert "needs confirmation, and there is no terminal to ask on; nothing was removed" in _words(unasked.err)
    assert Path(INFO).exists()
    removed = statetool("unlock", LEFT["ID"], "--yes")
    assert removed.status == 0
    assert "was removed; the state was not changed" in _words(removed.err)
    assert (_names(), state.read_bytes()) == ([STATE], INDENTED)
    again = statetool("unlock", LEFT["ID"], "--yes")
    assert (again.status, _words(again.err)) == (2, "statetool: terraform.tfstate: it is not locked")


@pytest.mark.parametrize("line", [["force-unlock", "-force"], ["unlock", "--force"], ["unlock", "-y"]])
def test_as_people_type_it(line: list[str], statetool: Statetool) -> None:
    Path(INFO).write_text(json.dumps(LEFT))
    assert statetool(*line, LEFT["ID"]).status == 0
    assert not Path(INFO).exists()


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b'{"ID": 5}'])
def test_odd_lock_information(content: bytes, statetool: Statetool) -> None:
    Path(INFO).write_bytes(content)
    assert statetool("locks").status == 0


def test_all_workspaces(folder: Path, statetool: Statetool) -> None:
    other = folder / "terraform.tfstate.d" / "blue"
    other.mkdir(parents=True)
    (other / STATE).write_bytes(INDENTED)
    with _posix_lock(other / STATE):
        result = statetool("locks", "--all-workspaces", "--format", "json")
    assert result.status == 1
    assert [(one["state"], one["status"]) for one in json.loads(result.out)["states"]] == [
        (STATE, "free"),
        (f"terraform.tfstate.d/blue/{STATE}", "held"),
    ]


def test_one_that_cannot_be_asked(statetool: Statetool) -> None:
    """It fails, and the others are shown."""
    result = statetool("locks", STATE, "-")
    assert (result.status, result.out) == (2, b"terraform.tfstate: not locked\n")
    assert "only a file or a state in a backend can be named here" in _words(result.err)


def test_http_cannot_be_asked(server: StateServer, statetool: Statetool) -> None:
    server.holder = dict(LEFT)
    where = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
    result = statetool("locks", where)
    assert result.status == 0
    assert "not known: this backend cannot be asked who holds a lock" in result.text
    # It was not locked to find out.
    assert "LOCK" not in server.methods
    removed = statetool("unlock", LEFT["ID"], "--state", where, "--yes")
    assert removed.status == 0, removed.err
    assert [server.holder] == [None]
    assert "was removed; the state was not changed" in _words(removed.err)


def test_http_without_locks(server: StateServer, statetool: Statetool) -> None:
    result = statetool("locks", server.url)
    assert "never locked: the backend is not set up to lock" in result.text
    refused = statetool("unlock", "x", "--state", server.url, "--yes")
    assert refused.status == 2
    assert "there is no lock" in _words(refused.err)


def test_in_a_program(state: Path) -> None:
    """The library compares the ID itself."""
    from statefmt import StoreError
    from statefmt.backends import remove_lock

    Path(INFO).write_text(json.dumps(LEFT))
    context = system_context()
    with pytest.raises(StoreError, match="not wrong; nothing was removed"):
        remove_lock(context, STATE, "wrong")
    assert Path(INFO).exists()
    removed = remove_lock(context, STATE, LEFT["ID"])
    assert removed is not None
    assert removed.Who == LEFT["Who"]
    with pytest.raises(StoreError, match="it is not locked"):
        remove_lock(context, STATE, LEFT["ID"])
    assert state.read_bytes() == INDENTED
