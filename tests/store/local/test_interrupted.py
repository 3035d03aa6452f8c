"""A write that meets somebody else's rename, a failing disk or a second interruption: true words, and a way on."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from statefmt.cli.run import system_context
from statefmt.model.errors import StoreError
from statefmt.store.local.history import keep_edits, load_history
from statefmt.store.local.settled import read_settled
from statefmt.store.local.store import create_file
from statefmt.store.local.transaction import open_state
from statefmt.store.protocol import WriteTerms
from tests.store.local.child import BACKUP, HISTORY, JOURNAL, SILENT, replace
from tests.store.local.replacing import replace_content
from tests.store.local.test_watched import NEEDS_STRACE, strace

OLD, NEW = b"o" * 9000, b"n" * 5000
NOW = 1_700_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state"
    path.write_bytes(OLD)
    (tmp_path / "new").write_bytes(NEW)
    return path


# Holds the lock of the file `state`, says so, and after a line on standard input does something to the name.
_OTHER = """
import fcntl, os, sys
file = open("state", "r+")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.readline()
if sys.argv[1] == "replace":
    open("another", "w").write("another")
    os.rename("another", "state")
else:
    os.remove("state")
"""


@pytest.mark.parametrize("action", ["replace", "remove"])
def test_other_file_while_waiting_for_the_lock(action: str, path: Path) -> None:
    """The edit must not go into a file that has no name any more."""
    command = [sys.executable, "-c", _OTHER, action]
    with subprocess.Popen(command, cwd=path.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout
        assert other.stdout.readline() == "held\n"
        threading.Timer(0.3, lambda: print(file=other.stdin, flush=True)).start()
        if action == "replace":
            with open_state(path, system_context().lock_info(path, "test"), system_context().note, timeout=60) as state:
                assert state.data == b"another"
                state.commit(NEW, WriteTerms(NOW))
            assert path.read_bytes() == NEW
        else:
            with (
                pytest.raises(StoreError, match="there is no such file or folder"),
                open_state(path, system_context().lock_info(path, "test"), system_context().note, timeout=60),
            ):
                pass
            assert not path.exists()
        assert other.wait() == 0


@pytest.mark.parametrize("action", ["replace", "remove"])
def test_other_file_before_the_write(action: str, path: Path) -> None:
    with open_state(path, system_context().lock_info(path, "test"), system_context().note) as state:
        if action == "replace":
            path.with_name("new").rename(path)
        else:
            path.unlink()
        with pytest.raises(StoreError, match="replaced or deleted during the edit; nothing was written"):
            state.commit(b"edit", WriteTerms(NOW))
    assert not list(path.parent.glob("*.backup"))


@NEEDS_STRACE
def test_killed_in_the_roll_back(path: Path) -> None:
    """The first flush of the state fails, and the process is killed at each call of the roll-back that follows."""
    watched = ("-P", str(path))
    for failing, call, number in (("fsync", "ftruncate", 1), ("ftruncate", "fsync", 2), ("ftruncate", "fsync", 3)):
        path.write_bytes(OLD)
        path.with_name(JOURNAL).unlink(missing_ok=True)
        kill = ("-e", f"inject={call}:signal=KILL:when={number}")
        fail = ("-e", f"inject={failing}:error=EIO:when=1")
        assert replace(path.parent, *strace(*watched, *fail, *kill)).status == -signal.SIGKILL, (call, number)
        content = read_settled(str(path), SILENT)
        assert content in (OLD, NEW)
        assert path.read_bytes() == content
        for backup in path.parent.glob("*.backup"):
            backup.unlink()


@NEEDS_STRACE
def test_disk_that_comes_back(path: Path) -> None:
    """No flush succeeds, neither of the write nor of the roll-back; the next command finishes."""
    ended = replace(path.parent, *strace("-P", str(path), "-e", "inject=fsync:error=EIO:when=1+"))
    assert "the next command finishes the write" in ended.err
    assert read_settled(str(path), SILENT) in (OLD, NEW)
    assert not path.with_name(JOURNAL).exists()


@NEEDS_STRACE
@pytest.mark.parametrize("call", ["fsync", "renameat", "unlinkat", "linkat", "write", "openat", "mkdirat"])
def test_every_call_that_fails(call: str, path: Path) -> None:
    """Whichever call fails: 'nothing was written' is said only where that is true, and what was written is not lost."""
    reached = 0
    for number in range(1, 60):
        folder = path.parent / f"{call}{number}"
        folder.mkdir()
        state = folder / "state"
        state.write_bytes(OLD)
        (folder / "new").write_bytes(NEW)
        folders = [folder, folder / HISTORY, folder / HISTORY / "contents"]
        only = [option for one in [state, *folders] for option in ("-P", str(one))] if call == "openat" else []
        ended = replace(folder, *strace(*only, "-e", f"inject={call}:error=EIO:when={number}"))
        if "INJECTED" not in (folder / "calls").read_text("utf-8"):
            break
        reached += 1
        content = state.read_bytes()
        assert content in (OLD, NEW), (call, number)
        assert "Traceback" not in ended.err
        if ended.status == 0:
            assert content == NEW, (call, number)
        else:
            assert content == OLD, (call, number, ended.err)
            assert not re.search("half written|: written|was written, but", ended.err), (call, number, ended.err)
        assert read_settled(str(state), SILENT) == content
        assert [entry.number for entry in load_history(state).entries] == ([1] if content == NEW else [])
    assert reached >= 2, call


@NEEDS_STRACE
def test_failed_edit_keeps_the_settings_of_the_history(path: Path) -> None:
    """`history --keep N` holds also where the first edit after it fails, at whichever flush."""
    for number in range(1, 12):
        with open_state(path, system_context().lock_info(path, "history"), system_context().note) as state:
            keep_edits(state.file, 3)
        ended = replace(path.parent, *strace("-e", f"inject=fsync:error=EIO:when={number}"))
        assert load_history(path).keep == 3, number
        if ended.status == 0:
            break
        path.write_bytes(OLD)
    assert number > 3


@NEEDS_STRACE
def test_other_name_of_a_hard_link(path: Path) -> None:
    """A write that is cut off is finished also where the state is reached by another name of the same file."""
    twin = path.with_name("twin")
    twin.hardlink_to(path)
    assert replace(path.parent, *strace("-P", str(path), "-e", "inject=ftruncate:signal=KILL:when=1")).status < 0
    assert path.with_name(JOURNAL).exists()
    assert read_settled(str(twin), SILENT) == path.read_bytes() == NEW
    assert not path.with_name(JOURNAL).exists()
    assert [entry.number for entry in load_history(path).entries] == [1]


@NEEDS_STRACE
@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "format", "zeros"])
def test_damaged_journal_over_a_torn_state(damage: str, path: Path) -> None:
    """The journal stays, and the message has the way out, until the state is whole."""
    assert replace(path.parent, *strace("-P", str(path), "-e", "inject=ftruncate:signal=KILL:when=1")).status < 0
    journal = path.with_name(JOURNAL)
    text, torn = journal.read_bytes(), path.read_bytes()
    journal.write_bytes(_damaged(text, damage))
    kept = journal.read_bytes()
    with pytest.raises(StoreError, match=r"its journal is damaged .*: the state may be half written\."):
        read_settled(str(path), system_context())
    assert (path.read_bytes(), journal.read_bytes()) == (torn, kept)
    for whole in (OLD, NEW):
        path.write_bytes(whole)
        journal.write_bytes(kept)
        notes: list[str] = []
        assert read_settled(str(path), dataclasses.replace(system_context(), note=notes.append)) == whole
        assert "the state is intact; deleted a damaged journal" in notes[0]
        assert not journal.exists()


def _damaged(text: bytes, damage: str) -> bytes:
    if damage == "format":
        import hashlib

        line, _, rest = text[65:].partition(b"\n")
        content = json.dumps(json.loads(line) | {"format_version": "9.0"}).encode() + b"\n" + rest
        return hashlib.sha256(content).hexdigest().encode() + b"\n" + content
    damaged = {"cut": text[:-10], "empty": b"", "zeros": bytes(len(text))}
    flipped = bytearray(text)
    flipped[100] ^= 1
    return damaged.get(damage, bytes(flipped))


@NEEDS_STRACE
def test_temporary_files_of_killed_writers_go(path: Path) -> None:
    """A writer that is killed leaves a file with the whole state; the next one in that folder deletes it."""
    ended = replace(path.parent, *strace("-e", "inject=linkat:signal=KILL:when=1"))
    assert ended.status < 0
    assert len(list(path.parent.glob(".statetool.*.tmp"))) == 1
    create_file(path.with_name("created"), NEW)
    assert not list(path.parent.glob(".statetool.*.tmp"))


def test_temporary_files_of_living_writers_stay(path: Path) -> None:
    temporary = path.with_name(".statetool.0123456789abcdef.tmp")
    with temporary.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        create_file(path.with_name("created"), NEW)
        assert temporary.exists()


def test_backup_that_is_gone(path: Path) -> None:
    """The history has the same content, so that the backup may be moved away."""
    replace_content(path, OLD, NEW, system_context().lock_info(path, "test"), system_context().note, now=NOW)
    from statefmt.store.local.journal import Journal, encode

    entry = load_history(path).entries[0]
    path.with_name(BACKUP).unlink()
    path.with_name(JOURNAL).write_bytes(encode(Journal(BACKUP, (NEW,), entry, "state")))
    path.write_bytes(NEW[:10] + OLD[10:])
    assert read_settled(str(path), SILENT) == NEW


@pytest.mark.parametrize("name", [b"\xff.tfstate", b"new\nline.tfstate", b"-x.tfstate", b"a" * 220])
def test_names_of_any_bytes(name: bytes, tmp_path: Path) -> None:
    state = tmp_path / os.fsdecode(name)
    state.write_bytes(OLD)
    backup = tmp_path / os.fsdecode(b"\xfe" + name)
    with open_state(
        state, system_context().lock_info(state, f"mv {state}", f"mv {state}"), system_context().note
    ) as opened:
        assert opened.commit(NEW, WriteTerms(NOW, backup)) == backup
    assert (state.read_bytes(), backup.read_bytes()) == (NEW, OLD)
    assert len(load_history(state).entries) == 1


def test_names_that_differ_by_a_dot(tmp_path: Path) -> None:
    """`x` and `.x` in one folder have histories of their own."""
    for name in ("state", ".state"):
        (tmp_path / name).write_bytes(OLD)
        replace_content(
            tmp_path / name, OLD, NEW, system_context().lock_info(tmp_path, "test"), system_context().note, now=NOW
        )
    assert [len(load_history(tmp_path / name).entries) for name in ("state", ".state")] == [1, 1]


@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
def test_names_of_open_files(name: str) -> None:
    with (
        pytest.raises(StoreError, match="this names an open file, not a regular file; nothing was"),
        open_state(Path(name), system_context().lock_info(Path(name), "test"), system_context().note),
    ):
        pass
