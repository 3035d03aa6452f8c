"""Reading a state of which a write is in progress or was cut off: the content before it, and a word about that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from statefmt.cli.run import system_context
from statefmt.store.local.settled import read_settled
from tests.store.local.child import BACKUP, JOURNAL, MAY_NOT_GIVE_UP, WITHOUT_PRIVILEGES

OLD, NEW = b"the content before " * 50, b"what will be there " * 60
# Begins to write NEW over the file `state` as a transaction does, and stops halfway, or before the first byte of it.
_WRITER = """
import os, sys
from pathlib import Path
from statefmt.store.protocol import HistoryEntry
from statefmt.store.local.journal import Journal, checksum, encode
from statefmt.cli.run import system_context
from statefmt.store.local.transaction import open_state
path, (backup, journal, how_far) = Path("state"), sys.argv[1:]
with open_state(path, system_context().lock_info(path, "mv"), system_context().note) as state:
    new = sys.stdin.buffer.read(int(sys.stdin.buffer.readline()))
    Path(backup).write_bytes(state.data)
    entry = HistoryEntry(1, "2026-01-01T00:00:00Z", "me@here", "mv", checksum(state.data), checksum(new))
    text = encode(Journal(backup, (new,), entry))
    Path(journal).write_bytes(text[: len(text) // 2] if how_far == "journal" else text)
    if how_far == "state":
        os.pwrite(state.descriptor, new[: len(new) // 2], 0)
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "state").write_bytes(OLD)
    return tmp_path


def _writer(how_far: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _WRITER, BACKUP, JOURNAL, how_far]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert writer.stdin is not None and writer.stdout is not None
    writer.stdin.write(b"%d\n%b" % (len(NEW), NEW))
    writer.stdin.flush()
    assert writer.stdout.readline() == b"held\n"
    return writer


# How far the writer has come, and whether the reader says something: where nothing is written yet, all is as ever.
@pytest.mark.parametrize(("how_far", "told"), [("state", True), ("whole journal", True)])
def test_in_progress(how_far: str, told: bool, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    writer = _writer(how_far)
    try:
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert read_settled("state", system_context()) == OLD
        expected = "statetool: state: it is being written; using the state before that write\n"
        assert capsys.readouterr().err == (expected if told else "")
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    finally:
        writer.kill()
        writer.communicate()


@pytest.mark.parametrize(
    ("how_far", "content", "told"),
    [
        ("state", NEW, f"finished an interrupted write; the previous state is in {BACKUP}"),
        ("whole journal", OLD, "an interrupted write had not begun; the state is unchanged"),
    ],
)
def test_cut_off(how_far: str, content: bytes, told: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    writer = _writer(how_far)
    writer.kill()
    writer.communicate()
    assert read_settled("state", system_context()) == (folder / "state").read_bytes() == content
    assert capsys.readouterr().err == f"statetool: state: {told}\n"
    assert not (folder / JOURNAL).exists()
    assert read_settled("state", system_context()) == content
    assert capsys.readouterr().err == ""


# What reads the file `state` where nobody may write it.
_READER = """
import sys
from statefmt.cli.run import system_context
from statefmt.store.local.settled import read_settled
sys.stdout.buffer.write(read_settled("state", system_context()))
"""


@pytest.mark.skipif(MAY_NOT_GIVE_UP, reason="root may write everything, and setpriv is not there")
def test_cut_off_and_not_mine_to_write(folder: Path) -> None:
    writer = _writer("state")
    writer.kill()
    writer.communicate()
    (folder / "state").chmod(0o444)
    done = subprocess.run([*WITHOUT_PRIVILEGES, sys.executable, "-c", _READER], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, OLD)
    assert done.stderr.decode() == (
        "statetool: state: a write was interrupted, and finishing it needs write permission; using the state "
        "before that write\n"
    )
