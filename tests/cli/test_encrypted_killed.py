"""A write of an encrypted state that is killed leaves no plain byte anywhere, and the state reads back."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from statefmt.cli.copy_places import is_in_memory
from statefmt.cli.main import main
from statefmt.cli.run import system_context
from statefmt.encryption import decrypt
from statefmt.store.local.settled import read_settled
from tests.adversary.runs import Forks
from tests.cli.encrypted import configuration, configured, encrypted
from tests.cli.encrypted_commands import CANARY, DECISIONS, LINES, WITH_CANARY, Line
from tests.cli.test_encrypted_canary import assert_nothing_plain
from tests.cli.test_killed import STATE, _run
from tests.store.local.test_killed import CALLS
from tests.store.local.test_watched import NEEDS_STRACE

pytestmark = NEEDS_STRACE

_TEXT = json.dumps(configuration("new"))
WRITING = [line for lines in LINES.values() for line in lines if line.writes]
MOVED = LINES["mv"][0]


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "tmp").mkdir()
    shared = Path("/dev/shm")
    # A copy that a killed edit leaves must not be found by the commands of other tests.
    memory = Path(tempfile.mkdtemp(dir=shared if is_in_memory(shared) else tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(memory))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("TF_ENCRYPTION", _TEXT)
    monkeypatch.setenv("CANARY", json.dumps(CANARY.decode()))
    monkeypatch.setenv("EDITOR", "sed -i s/t3.small/t3.large/")
    yield
    shutil.rmtree(memory)


def test_killed_at_every_call(tmp_path: Path, forked: Forks) -> None:
    points, seen = 0, set()
    for call in CALLS:
        for number in range(1, 100):
            is_new = _killed(forked, tmp_path, MOVED, call, number)
            if is_new is None:
                break
            points += 1
            seen.add(is_new)
    assert points >= 30
    assert seen == {True, False}


@pytest.mark.parametrize("line", WRITING, ids=[line.text for line in WRITING])
def test_every_command_is_killed(line: Line, tmp_path: Path, forked: Forks) -> None:
    """Between one file that is flushed and the next: the backup, the history, the journal, the state."""
    for number in (2, 5, 8):
        assert _killed(forked, tmp_path, line, "fsync", number) is not None, number


def _killed(forked: Forks, folder: Path, line: Line, call: str, number: int) -> bool | None:
    """Whether the write has taken place after a kill at one call; None where there is no such call."""
    work = folder / f"{call}{number}"
    work.mkdir()
    state = work / STATE
    state.write_bytes(encrypted(WITH_CANARY, "new"))
    (work / "before").write_bytes(encrypted(WITH_CANARY.replace(b"t3.small", b"t3.large"), "new"))
    (work / "configuration").mkdir()
    (work / "configuration/decisions").write_text(DECISIONS)
    if line.before:
        assert main(line.before.replace("%s", str(state)).split()) == 0
    old = state.read_bytes()
    status = _run(forked, work, line.text.replace("%s", STATE).split(), call, number)
    assert_nothing_plain(folder)
    if status == 0:
        return None
    content = read_settled(str(state), system_context())
    assert_nothing_plain(folder)
    plain = decrypt(content, configured("new")).plain
    assert CANARY in plain or line.text.startswith("rm")
    return content != old
