"""What reaches the system, in which order, and what is left where a call fails or a signal comes; strace sees to it.

The new content is durable before the file is cut to length, the backup before the first byte of the file changes,
and the file is never replaced, cut short first, or left half written by anything but a kill.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.store.local.child import BACKUP, HISTORY, INFO, JOURNAL, replace

OLD = b"o" * 9000
NEW = b"n" * 5000

NEEDS_STRACE = pytest.mark.skipif(
    subprocess.call(["sh", "-c", "strace -o /dev/null true 2>/dev/null"]) != 0,
    reason="strace is not installed, or may not watch processes here",
)
pytestmark = NEEDS_STRACE


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(OLD)
    (tmp_path / "new").write_bytes(NEW)


def strace(*options: str) -> list[str]:
    """The program that starts another one under strace; the calls are written to the file `calls`."""
    return [shutil.which("strace") or "strace", "-f", "-y", "-o", "calls", *options]


def test_order(tmp_path: Path) -> None:
    assert replace(tmp_path, *strace("-e", "trace=%file,%desc")).status == 0
    folder = re.escape(str(tmp_path))
    changing = re.compile(
        rf"\b(write|fsync|ftruncate)\(\d+<{folder}/?([^>]*)>"
        rf'|\b(openat|unlinkat|mkdirat)\(\d+<{folder}/?([^>]*)>, "([^"]+)"(?:, (?:O_RDWR|\S*O_CREAT)|, 0)'
        rf'|\b(linkat|renameat)\(.*"([^"]+)", \d+<{folder}/?([^>]*)>, "([^"]+)"'
    )
    calls = re.sub(r"\.statetool\.\w{16}\.tmp", "TEMPORARY", (tmp_path / "calls").read_text("utf-8"))
    found = [changing.search(line) for line in calls.splitlines() if " = -1 " not in line]
    temporary = [("openat", "", "TEMPORARY"), ("write", "TEMPORARY"), ("fsync", "TEMPORARY")]
    in_history = [
        ("openat", HISTORY, "TEMPORARY"),
        ("write", f"{HISTORY}/TEMPORARY"),
        ("fsync", f"{HISTORY}/TEMPORARY"),
    ]
    assert [tuple(part for part in match.groups() if part is not None) for match in found if match] == [
        ("openat", "", "state"),
        ("openat", "", INFO),
        ("write", INFO),
        *temporary,
        ("linkat", "TEMPORARY", "", BACKUP),
        ("fsync", ""),
        ("unlinkat", "", "TEMPORARY"),
        ("mkdirat", "", HISTORY),
        ("fsync", ""),
        *in_history,
        ("linkat", "TEMPORARY", HISTORY, ".gitignore"),
        ("fsync", HISTORY),
        ("unlinkat", HISTORY, "TEMPORARY"),
        *in_history,
        ("renameat", "TEMPORARY", HISTORY, "history.json.new"),
        ("fsync", HISTORY),
        ("mkdirat", HISTORY, "contents"),
        ("fsync", HISTORY),
        ("linkat", BACKUP, f"{HISTORY}/contents", "TEMPORARY"),
        ("renameat", "TEMPORARY", f"{HISTORY}/contents", hashlib.sha256(OLD).hexdigest()),
        ("fsync", f"{HISTORY}/contents"),
        *temporary,
        ("linkat", "TEMPORARY", "", JOURNAL),
        ("fsync", ""),
        ("unlinkat", "", "TEMPORARY"),
        ("write", "state"),
        ("fsync", "state"),
        ("ftruncate", "state"),
        ("fsync", "state"),
        ("renameat", "history.json.new", HISTORY, "history.json"),
        ("fsync", HISTORY),
        ("unlinkat", "", JOURNAL),
        ("fsync", ""),
        ("unlinkat", "", INFO),
    ]


@pytest.mark.parametrize("call", ["write", "fsync", "ftruncate"])
def test_call_that_fails_once(call: str, tmp_path: Path) -> None:
    ended = replace(tmp_path, *strace("-P", str(tmp_path / "state"), "-e", f"inject={call}:error=EIO:when=1"))
    reason = "state: the write failed (Input/output error)"
    assert ended == (1, f"{reason}; the file is unchanged, and its content is also in {BACKUP}\n")
    assert (tmp_path / "state").read_bytes() == OLD


def test_disk_that_gives_up(tmp_path: Path) -> None:
    """Not even the old content can be written back: the message must not say that all is well."""
    ended = replace(tmp_path, *strace("-P", str(tmp_path / "state"), "-e", "inject=fsync:error=EIO:when=1+"))
    assert ended.status == 1
    assert re.search("^state: .* may be half written; the next command finishes the write", ended.err), ended.err
    assert (tmp_path / BACKUP).read_bytes() == OLD


@pytest.mark.parametrize(
    ("call", "name"),
    [("write", "SIGINT"), ("fsync", "SIGINT"), ("ftruncate", "SIGINT"), ("fsync", "SIGTERM"), ("fsync", "SIGHUP")],
)
def test_signal_waits_for_the_write(call: str, name: str, tmp_path: Path) -> None:
    ended = replace(tmp_path, *strace("-P", str(tmp_path / "state"), "-e", f"inject={call}:signal={name}:when=1"))
    assert ended.status == -signal.Signals[name]
    assert (tmp_path / "state").read_bytes() == NEW
    assert (tmp_path / BACKUP).read_bytes() == OLD


@pytest.mark.parametrize("call", ["write", "fsync", "ftruncate"])
def test_killed(call: str, tmp_path: Path) -> None:
    """Nothing holds a kill back, but the old content is in the backup before the file is touched."""
    assert (
        replace(tmp_path, *strace("-P", str(tmp_path / "state"), "-e", f"inject={call}:signal=SIGKILL:when=1")).status
        == -signal.SIGKILL
    )
    assert (tmp_path / "state").stat().st_size == len(OLD)
    assert (tmp_path / BACKUP).read_bytes() == OLD
