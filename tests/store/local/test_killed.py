"""Killed at any instant: the old or the new content is read back in full, and nothing is left of the write.

strace kills the process at one call after the other that changes something, and counts how many there are.
"""

from __future__ import annotations

import hashlib
import signal
import subprocess
from pathlib import Path

import pytest

from statefmt.cli.run import system_context
from statefmt.store.local.history import kept_content, load_history
from statefmt.store.local.settled import read_settled
from tests.store.local.child import COMMAND, JOURNAL, replace
from tests.store.local.test_watched import NEEDS_STRACE, strace

pytestmark = NEEDS_STRACE

OLD = bytes(range(256)) * 100
OLD_CHECKSUM = hashlib.sha256(OLD).hexdigest()
CALLS = ("openat", "write", "fsync", "ftruncate", "linkat", "mkdirat", "renameat", "unlinkat")
# Opening, locking, backup, history, journal, content and the way back: at least this many calls change something.
FEWEST = 33


@pytest.mark.parametrize("new", [b"n" * 5000, b"n" * 50_000, OLD[::-1]], ids=["shorter", "longer", "as long"])
def test_killed_at_every_call(new: bytes, tmp_path: Path) -> None:
    seen = {OLD: 0, new: 0}
    for call in CALLS:
        for number in range(1, 100):
            content = _killed(tmp_path / f"{call}{number}", new, f"inject={call}:signal=SIGKILL:when={number}")
            if content is None:
                break
            assert content in seen, (call, number, len(content))
            seen[content] += 1
        assert number > 1, call
    assert sum(seen.values()) >= FEWEST
    assert all(seen.values()), seen


def _killed(folder: Path, new: bytes, injection: str) -> bytes | None:
    """What is read after a kill, which must be what every program reads then; None where nothing was killed."""
    folder.mkdir()
    state = folder / "state"
    state.write_bytes(OLD)
    (folder / "new").write_bytes(new)
    ended = replace(folder, *strace(*watched(injection, folder, "state"), "-e", injection))
    if ended.status != -signal.SIGKILL:
        assert (ended.status, state.read_bytes()) == (0, new)
        return None
    content = read_settled(str(state), system_context())
    assert state.read_bytes() == content
    assert not (folder / JOURNAL).exists()
    entries = load_history(state).entries
    assert [entry.before for entry in entries] == ([] if content == OLD else [OLD_CHECKSUM])
    assert all(kept_content(state, entry.before) == OLD for entry in entries)
    return content


def watched(injection: str, folder: Path, state: str) -> list[str]:
    """The options for files and folders of a state, where starting Python makes hundreds of the same calls."""
    if "openat:" not in injection:
        return []
    history = folder / f".{state}.statetool"
    return [option for path in (folder / state, folder, history, history / "contents") for option in ("-P", str(path))]


def test_half_written_while_the_writer_lives(tmp_path: Path) -> None:
    """Whoever cannot have the lock reads the content before."""
    (tmp_path / "state").write_bytes(OLD)
    (tmp_path / "new").write_bytes(b"n" * 5000)
    slow = strace("-P", str(tmp_path / "state"), "-e", "inject=ftruncate:delay_enter=3000000")
    with subprocess.Popen([*slow, *COMMAND], cwd=tmp_path) as writer:
        while not (tmp_path / JOURNAL).exists() or (tmp_path / "state").read_bytes() == OLD:
            assert writer.poll() is None
        assert read_settled(str(tmp_path / "state"), system_context()) == OLD
        assert (tmp_path / JOURNAL).exists()
        assert writer.wait() == 0
    assert read_settled(str(tmp_path / "state"), system_context()) == b"n" * 5000
