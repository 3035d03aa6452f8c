"""The lock on a state: real processes keep each other out, and say who they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from statefmt.cli.run import system_context
from statefmt.model.errors import LockedError
from statefmt.store.local._folder import lock_info_name
from statefmt.store.local.transaction import OpenState, open_state

CONTENT = b'{"version": 4}\n'
# Holds the lock of the file `state` until its standard input ends, having said so.
_HOLDER = """
import sys
from pathlib import Path
from statefmt.cli.run import system_context
from statefmt.store.local.transaction import open_state
path = Path("state")
with open_state(path, system_context().lock_info(path, "surgery"), system_context().note):
    print("held", flush=True)
    sys.stdin.read()
"""
# Adds one line to the file `state`, as soon as it may.
_WRITER = """
import sys
from pathlib import Path
from statefmt.cli.run import system_context
from statefmt.store.local.transaction import open_state
from statefmt.store.protocol import WriteTerms
path = Path("state")
with open_state(path, system_context().lock_info(path, "add"), system_context().note, timeout=60) as state:
    state.commit(state.data + sys.argv[1].encode() + b"\\n", WriteTerms(1700000000))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state"
    path.write_bytes(CONTENT)
    return path


def _holder(folder: Path) -> subprocess.Popen[bytes]:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    return holder


def test_who_holds_it(path: Path) -> None:
    """Source of the names: OpenTofu `internal/states/statemgr/locker.go` (LockInfo)."""
    with open_state(path, system_context().lock_info(path, "mv"), system_context().note):
        info = json.loads((path.parent / ".state.lock.info").read_bytes())
        assert list(info) == ["ID", "Operation", "Info", "Who", "Version", "Created", "Path"]
        assert (info["Operation"], info["Path"]) == ("mv", str(path))
        assert oct((path.parent / ".state.lock.info").stat().st_mode) == oct(0o100600)
    assert [file.name for file in path.parent.iterdir()] == ["state"]


@pytest.mark.parametrize(
    ("name", "expected"), [("terraform.tfstate", ".terraform.tfstate.lock.info"), (".tfstate", ".tfstate.lock.info")]
)
def test_where_it_says_so(name: str, expected: str) -> None:
    assert lock_info_name(name) == expected


def test_held_by_another_process(path: Path) -> None:
    with _holder(path.parent) as holder:
        with (
            pytest.raises(
                LockedError, match=r"state: locked by \S+@\S+ \(surgery, since 20\S+Z\); nothing was written"
            ),
            open_state(path, system_context().lock_info(path, "mv"), system_context().note),
        ):
            pass
        assert holder.stdin is not None
        holder.stdin.close()
        assert holder.wait() == 0
    with open_state(path, system_context().lock_info(path, "mv"), system_context().note) as state:
        assert state.data == CONTENT


def test_the_lock_of_a_process(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on systems other than Linux, and of OpenTofu: it and the lock of an open file exclude each other."""
    with _holder(path.parent) as holder:
        with monkeypatch.context() as elsewhere, pytest.raises(LockedError):
            elsewhere.setattr("sys.platform", "darwin")
            with open_state(path, system_context().lock_info(path, "mv"), system_context().note):
                pass
        holder.kill()
    with ExitStack() as ours:
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr("sys.platform", "darwin")
            ours.enter_context(open_state(path, system_context().lock_info(path, "mv"), system_context().note))
        other = subprocess.run(
            [sys.executable, "-c", _HOLDER], cwd=path.parent, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        assert b"LockedError" in other.stderr


def test_two_in_one_process(path: Path) -> None:
    def opened() -> AbstractContextManager[OpenState]:
        return open_state(path, system_context().lock_info(path, "mv"), system_context().note)

    with opened():
        for _ in range(2):
            # The refusal closes the file, which does not drop the lock.
            with pytest.raises(LockedError), opened():
                pass
    with opened() as state:
        assert state.data == CONTENT


def test_held_and_nobody_says_by_whom(path: Path) -> None:
    with _holder(path.parent) as holder:
        (path.parent / lock_info_name(path.name)).unlink()
        with (
            pytest.raises(LockedError, match=r"locked by another process, for more than 0\.2 seconds"),
            open_state(path, system_context().lock_info(path, "mv"), system_context().note, timeout=0.2),
        ):
            pass
        holder.kill()


def test_the_holder_died(path: Path) -> None:
    with _holder(path.parent) as holder:
        holder.kill()
    assert (path.parent / lock_info_name(path.name)).exists()
    with open_state(path, system_context().lock_info(path, "mv"), system_context().note) as state:
        assert state.data == CONTENT


def test_many_writers_at_once(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(number)], cwd=path.parent) for number in range(16)]
    assert [writer.wait() for writer in writers] == [0] * 16
    lines = path.read_bytes().removeprefix(CONTENT).split()
    assert sorted(map(int, lines)) == list(range(16))
    backups = list(path.parent.glob("state.*.backup"))
    assert len(backups) == 16


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_in_which_nothing_can_be_made(path: Path) -> None:
    path.parent.chmod(0o500)
    with open_state(path, system_context().lock_info(path, "mv"), system_context().note) as state:
        assert state.data == CONTENT
    path.parent.chmod(0o700)
