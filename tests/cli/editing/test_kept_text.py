"""An edited text is kept until it is written or discarded."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.editing.conftest import script
from tests.cli.encrypted import configuration, encrypted
from tests.cli.terminal import on_terminal
from tests.servers.http import Fault, state_server

SERIAL = (b'"serial": 58,', b'"serial": 59,')
BREAKING = "sed -i s/t3.small/t3.large/;s/managed/odd/"
# Removes the lock of a state, and locks it for somebody else.
FORCING = """
from urllib.request import Request, urlopen
urlopen(Request("{url}", method="UNLOCK"))
urlopen(Request("{url}", method="LOCK", data=b'{lock}'))
"""


def _kept(memory: Path) -> list[Path]:
    return [path for path in memory.rglob("*") if path.is_file()]


def _larger(state: bytes) -> bytes:
    return state.replace(b"t3.small", b"t3.large")


def test_a_refused_text_is_kept_and_edited_later(
    state: Path, memory: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state.read_bytes()
    monkeypatch.setenv("EDITOR", BREAKING)
    refused = statetool("edit", "--yes")
    assert refused.status == 2
    (kept,) = _kept(memory)
    assert kept.read_bytes() == _larger(before).replace(b"managed", b"odd")
    assert f"--text {kept} --expect-serial 58" in refused.err
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    # Other commands leave it alone; edit names it.
    assert statetool("list").err == ""
    monkeypatch.setenv("EDITOR", "true")
    assert f"an earlier edit kept its text in {kept}" in statetool("edit", "--yes").err
    monkeypatch.setenv("EDITOR", "sed -i s/odd/managed/")
    done = statetool("edit", "--yes", "--text", str(kept), "--expect-serial", "58")
    assert done.status == 0, done
    assert f"an earlier edit kept its text in {kept}" not in done.err
    assert state.read_bytes() == _larger(before).replace(*SERIAL)
    assert not list(memory.iterdir())


def test_a_kept_text_does_not_undo_what_happened_since(
    state: Path, memory: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", BREAKING)
    statetool("edit", "--yes")
    assert statetool("taint", "aws_iam_role.app").status == 0
    since = state.read_bytes()
    monkeypatch.setenv("EDITOR", "sed -i s/odd/managed/")
    (kept,) = _kept(memory)
    expected = statetool("edit", "--yes", "--text", str(kept), "--expect-serial", "58")
    assert "the serial is 59, not 58" in " ".join(expected.err.split())
    without = statetool("edit", "--yes", "--text", str(kept))
    assert "the edit lowers the serial from 59 to 58" in " ".join(without.err.split())
    assert (expected.status, without.status) == (2, 2)
    assert state.read_bytes() == since
    assert kept.exists()


def test_a_state_that_changed_meanwhile_is_not_overwritten(
    state: Path, memory: Path, folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that do not know the lock replace the file."""
    before, other = state.read_bytes(), state.read_bytes().replace(b'"serial": 58', b'"serial": 61')
    (folder / "new").write_bytes(other)
    monkeypatch.setenv("EDITOR", script(folder, f'sed -i s/t3.small/t3.large/ "$1"; mv {folder}/new {state}'))
    assert statetool("edit", "--yes").status == 2
    assert state.read_bytes() == other
    assert [path.read_bytes() for path in _kept(memory)] == [_larger(before)]


def test_a_file_of_the_user_is_not_removed(
    state: Path, folder: Path, memory: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state.read_bytes()
    mine = folder / "mine.json"
    mine.write_bytes(_larger(before))
    monkeypatch.setenv("EDITOR", "true")
    assert statetool("edit", "--yes", "--text", str(mine)).status == 0
    assert state.read_bytes() == _larger(before).replace(*SERIAL)
    assert mine.read_bytes() == _larger(before)
    assert not list(memory.iterdir())
    assert statetool("edit", "--yes", "--text", str(folder / "missing")).status == 2


@pytest.mark.parametrize("typed", ["k\n", "", "x\nk\n"], ids=["keep", "end of input", "another answer"])
def test_a_text_is_kept_on_a_terminal(typed: str, state: Path, memory: Path, program: Program) -> None:
    before = state.read_bytes()
    shown = on_terminal(program, "exec statetool edit", typed=typed, environment={"EDITOR": BREAKING})
    assert shown.status == (2 if typed else 130), shown
    assert "the edited text is kept" in " ".join(shown.text.split())
    assert [path.read_bytes() for path in _kept(memory)] == [_larger(before).replace(b"managed", b"odd")]
    assert state.read_bytes() == before


@pytest.mark.parametrize("again", [True, False], ids=["again", "keep"])
def test_a_write_to_a_backend_fails(again: bool, state: Path, memory: Path, folder: Path, program: Program) -> None:
    before = state.read_bytes()
    with state_server() as server:
        server.state = before
        server.faults = [("POST", Fault(status=403))]
        url = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
        line = f"exec statetool edit --state '{url}'"
        typed = "y\ne\ny\n" if again else "y\nk\n"
        editor = "sed -i s/t3.small/t3.large/"
        shown = on_terminal(program, line, typed=typed, environment={"EDITOR": editor, "HOME": str(folder)})
        assert shown.status == (0 if again else 2), shown
        assert server.state == (_larger(before).replace(*SERIAL) if again else before)
        assert not server.lock_id
    assert [path.read_bytes() for path in _kept(memory)] == ([] if again else [_larger(before)])


def test_a_lock_that_was_lost_is_noticed(state: Path, memory: Path, folder: Path, program: Program) -> None:
    """Somebody forced the lock while the editor ran, and locked the state."""
    before = state.read_bytes()
    with state_server() as server:
        server.state = before
        url = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
        lock_id = "11111111-2222-3333-4444-555555555555"
        forcing = folder / "force.py"
        forcing.write_text(FORCING.format(url=server.url, lock=json.dumps({"ID": lock_id, "Who": "other@host"})))
        editor = script(folder, f'sed -i s/t3.small/t3.large/ "$1"; {sys.executable} {forcing}')
        environment = {"EDITOR": editor, "HOME": str(folder)}
        done = program("edit", "--yes", "--state", url, environment=environment)
        assert done.status == 2, done
        assert server.state == before
        assert server.lock_id == lock_id
    assert [path.read_bytes() for path in _kept(memory)] == [_larger(before)]


def test_the_text_of_an_encrypted_state_is_kept_in_memory(
    state: Path, folder: Path, memory: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = state.read_bytes()
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new")))
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("EDITOR", BREAKING)
    state.write_bytes(encrypted(plain, "new"))
    assert statetool("edit", "--yes").status == 2
    assert [path.read_bytes() for path in _kept(memory)] == [_larger(plain).replace(b"managed", b"odd")]
    holding = [path for path in folder.rglob("*") if path.is_file() and b"lineage" in path.read_bytes()]
    assert [path for path in holding if b"t3.small" in path.read_bytes()] == []
