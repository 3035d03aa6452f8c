"""Signals during `statetool edit`: no lock and no copy is left, or the next command removes it."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Program
from tests.cli.editing.conftest import script
from tests.servers.http import state_server

# In seconds; only a fault takes this long.
_PATIENCE = 60.0


def _started(
    folder: Path, program: Program, ending: str = "exec sleep 600", *options: str, saving: str = "true"
) -> subprocess.Popen[bytes]:
    """Start an edit, and wait until its editor runs."""
    editor = script(folder, f'{saving} "$1"; echo $$ > {folder}/pid.new; mv {folder}/pid.new {folder}/pid; {ending}')
    process = subprocess.Popen(
        [PROGRAM, "edit", "--yes", *options],
        env={**program.environment, "EDITOR": editor},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + _PATIENCE
    while not (folder / "pid").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    return process


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
@pytest.mark.parametrize("ending", ["exec sleep 600", "trap '' HUP; while :; do sleep 0.1; done"])
def test_a_signal_gives_the_lock_back_and_removes_the_copy(
    number: int, ending: str, state: Path, memory: Path, folder: Path, program: Program
) -> None:
    before = state.read_bytes()
    process = _started(folder, program, ending)
    assert "locked by" in program("taint", "aws_iam_role.app").err
    assert list(memory.iterdir())
    process.send_signal(number)
    assert process.wait(_PATIENCE) == -number
    assert not list(memory.iterdir())
    assert not (folder / ".terraform.tfstate.lock.info").exists()
    assert state.read_bytes() == before
    assert not _runs(int((folder / "pid").read_text()))
    assert program("taint", "aws_iam_role.app").status == 0


def test_a_signal_keeps_what_the_editor_has_saved(state: Path, memory: Path, folder: Path, program: Program) -> None:
    """A terminal that closes must not cost the work of an hour."""
    before = state.read_bytes()
    process = _started(folder, program, "exec sleep 600", saving="sed -i s/t3.small/t3.nano/")
    process.send_signal(signal.SIGHUP)
    assert process.wait(_PATIENCE) == -signal.SIGHUP
    assert not (folder / ".terraform.tfstate.lock.info").exists()
    kept = [path for path in memory.rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in kept] == [before.replace(b"t3.small", b"t3.nano")]
    assert kept[0].stat().st_mode & 0o777 == 0o600
    assert kept[0].parent.stat().st_mode & 0o777 == 0o700
    assert state.read_bytes() == before
    # Other commands leave it alone, and edit names it.
    assert program("version").err == ""
    assert str(kept[0]) in program("edit", "--yes", environment={"EDITOR": "true"}).err
    assert kept[0].exists()
    done = program("edit", "--yes", "--text", str(kept[0]), environment={"EDITOR": "true"})
    assert done.status == 0, done
    assert b"t3.nano" in state.read_bytes()
    assert not list(memory.iterdir())


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_gives_the_lock_of_a_backend_back(
    number: int, state: Path, memory: Path, folder: Path, program: Program
) -> None:
    with state_server() as server:
        server.state = state.read_bytes()
        url = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
        process = _started(folder, program, "exec sleep 600", "--state", url)
        assert server.lock_id
        process.send_signal(number)
        assert process.wait(_PATIENCE) == -number
        assert not server.lock_id
        assert server.state == state.read_bytes()
    assert not list(memory.iterdir())


def test_the_keys_of_the_terminal_are_for_the_editor(state: Path, memory: Path, folder: Path, program: Program) -> None:
    before = state.read_bytes()
    process = _started(folder, program, f"while [ ! -e {folder}/go ]; do sleep 0.05; done")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGQUIT)
    (folder / "go").touch()
    assert process.wait(_PATIENCE) == 0
    assert state.read_bytes() == before
    assert not list(memory.iterdir())


@pytest.mark.parametrize("line", [("list",), ("check",), ("version",), ("edit", "--yes")], ids=" ".join)
def test_the_next_command_removes_the_copy_of_a_killed_edit(
    line: tuple[str, ...], state: Path, memory: Path, folder: Path, program: Program
) -> None:
    before = state.read_bytes()
    process = _started(folder, program)
    # A running edit keeps its copy.
    assert "removed" not in program("version").err
    kept = [path for path in memory.rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in kept] == [before]
    process.kill()
    process.wait()
    done = program(*line, environment={"EDITOR": "true"})
    assert done.status in (0, 1)
    assert f"removed {kept[0].parent}, the copy of a state that a killed edit left behind" in done.err
    assert not list(memory.iterdir())
    subprocess.run(["kill", (folder / "pid").read_text().strip()], check=True)


def test_a_folder_of_somebody_else_is_not_used(state: Path, memory: Path, program: Program, folder: Path) -> None:
    """In /dev/shm, everybody may create the folder first."""
    import os

    open_to_all = memory / f"statetool-edit-{os.geteuid()}"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    (open_to_all / "theirs").mkdir()
    editor = script(folder, f'echo "$1" > {folder}/path')
    done = program("edit", "--yes", environment={"EDITOR": editor})
    assert done.status == 0, done
    assert state.exists()
    assert not Path((folder / "path").read_text()).is_relative_to(memory)
    assert [path.name for path in open_to_all.iterdir()] == ["theirs"]
