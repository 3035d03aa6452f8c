"""What lies beside a state may come from a stranger: nothing of somebody else is followed, read, changed or deleted."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from statefmt.cli.run import system_context
from statefmt.model.errors import StoreError
from statefmt.store.local.history import compress_one, forget_history, keep_edits, kept_content, load_history
from statefmt.store.local.settled import read_settled
from statefmt.store.local.store import create_file
from statefmt.store.local.transaction import open_state
from tests.store.local.child import BACKUP, HISTORY, INFO, JOURNAL, SILENT
from tests.store.local.replacing import replace_content
from tests.tables import each_row

OLD, NEW = b"the content before " * 50, b"what will be there " * 60
NOW: Final = 1_700_000_000
CONTENT = "a" * 64
VICTIM = b"of somebody else"
VICTIMS = ("file", CONTENT, "history.json", "history.json.new")
# A hundred times what any of this takes, in seconds.
PATIENCE: Final = 60


def _link(path: Path, victims: Path) -> None:
    path.symlink_to(victims / "file")


def _link_to_folder(path: Path, victims: Path) -> None:
    path.symlink_to(victims)


def _dangling(path: Path, victims: Path) -> None:
    path.symlink_to(victims / "nothing")


def _endless(path: Path, victims: Path) -> None:
    path.symlink_to("/dev/zero")


def _pipe(path: Path, victims: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path, victims: Path) -> None:
    path.mkdir()
    (path / "file").write_bytes(VICTIM)


def _socket(path: Path, victims: Path) -> None:
    # A short relative name: names of sockets have a limit of about a hundred characters.
    before = Path.cwd()
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path.name)
    os.chdir(before)


def _huge(path: Path, victims: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _hard_link(path: Path, victims: Path) -> None:
    path.hardlink_to(victims / "file")


KINDS = [_link, _link_to_folder, _dangling, _endless, _pipe, _folder, _socket, _huge, _hard_link]
PLACES = [
    HISTORY,
    f"{HISTORY}/contents",
    f"{HISTORY}/contents/{CONTENT}",
    f"{HISTORY}/contents/{CONTENT}.gz",
    f"{HISTORY}/history.json",
    f"{HISTORY}/history.json.new",
    f"{HISTORY}/.gitignore",
    f"{HISTORY}/.statetool.0123456789abcdef.tmp",
    ".statetool.0123456789abcdef.tmp",
    JOURNAL,
    INFO,
    BACKUP,
]

# Everything that touches what lies beside a state, with memory and time limited.
_PROGRAM = """
import sys
from pathlib import Path
from tests.store.local import test_foreign_files as tests
for folder in sys.argv[1:]:
    tests.in_a_fork(Path(folder) / "folder" / "state")
"""


def in_a_fork(state: Path) -> None:
    """Do everything to a state in a process of its own."""
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        try:
            everything(state)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended != 0:
        sys.exit(f"{state}: ended with {ended}")


def everything(state: Path) -> None:
    """Do all that the store can do to a state. Nothing but a StoreError may come of it."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
    actions: list[Callable[[], object]] = [
        lambda: read_settled(str(state), SILENT),
        lambda: load_history(state),
        lambda: kept_content(state, CONTENT),
        lambda: replace_content(
            state, OLD, NEW, system_context().lock_info(state, "test"), system_context().note, now=NOW
        ),
        lambda: _keep(state),
        lambda: create_file(state.with_name("created"), NEW),
        lambda: compress_one(state),
        lambda: forget_history(state),
    ]
    for action in actions:
        try:
            action()
        except StoreError as error:
            assert str(error)


def _keep(state: Path) -> None:
    with open_state(state, system_context().lock_info(state, "history"), system_context().note) as opened:
        keep_edits(opened.file, 3)


@each_row("place", PLACES)
def test_nothing_of_others_is_touched(place: str, tmp_path: Path) -> None:
    cases = {make: tmp_path / make.__name__ for make in KINDS}
    for make, case in cases.items():
        planted = case / "folder" / place
        planted.parent.mkdir(parents=True)
        (case / "victims").mkdir()
        for name in VICTIMS:
            (case / "victims" / name).write_bytes(VICTIM)
        (case / "folder" / "state").write_bytes(OLD)
        make(planted, case / "victims")
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *map(str, cases.values())],
        stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    for make, case in cases.items():
        found = {path.name: path.read_bytes() for path in (case / "victims").iterdir()}
        assert found == dict.fromkeys(VICTIMS, VICTIM), make
        if make is _folder and (case / "folder" / place).exists():
            assert (case / "folder" / place / "file").read_bytes() == VICTIM
        assert (case / "folder" / "state").read_bytes() in (OLD, NEW), make


def test_history_that_is_a_link(tmp_path: Path) -> None:
    """The folder of a history can be a link in a clone; the first edit used to delete every file in its target."""
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "a").write_bytes(VICTIM)
    state = tmp_path / "state"
    state.write_bytes(OLD)
    (tmp_path / HISTORY).mkdir()
    (tmp_path / HISTORY / "contents").symlink_to("../precious")
    with pytest.raises(StoreError, match="contents: this is a symbolic link, which statetool did not create"):
        replace_content(state, OLD, NEW, system_context().lock_info(state, "test"), system_context().note, now=NOW)
    assert (tmp_path / "precious" / "a").read_bytes() == VICTIM
    assert state.read_bytes() == OLD
    assert not list(tmp_path.glob("*.backup"))


def test_files_of_others_in_the_history_stay(tmp_path: Path) -> None:
    """Deleting a history deletes the names of its own form, and says that others are left."""
    state = tmp_path / "state"
    state.write_bytes(OLD)
    replace_content(state, OLD, NEW, system_context().lock_info(state, "test"), system_context().note, now=NOW)
    (tmp_path / HISTORY / "notes.txt").write_bytes(VICTIM)
    with pytest.raises(StoreError, match="but the folder contains other files"):
        forget_history(state)
    assert [path.name for path in (tmp_path / HISTORY).iterdir()] == ["notes.txt"]


def test_history_that_names_a_path(tmp_path: Path) -> None:
    """A history from a stranger names contents by checksum, and not by a path."""
    state = tmp_path / "state"
    state.write_bytes(OLD)
    with pytest.raises(StoreError, match=r"the history contains '\.\./\.\./victim', which is not a checksum"):
        kept_content(state, "../../victim")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file to someone else")
def test_files_of_another_user(tmp_path: Path) -> None:
    """The journal of one user does not decide about the state of another, in a folder that both write to."""
    from statefmt.store.local.journal import Journal, checksum, encode
    from statefmt.store.protocol import HistoryEntry

    state, journal = tmp_path / "state", tmp_path / JOURNAL
    torn = NEW[:1] + OLD[1:]
    state.write_bytes(torn)
    (tmp_path / BACKUP).write_bytes(OLD)
    entry = HistoryEntry(1, "2026-01-01T00:00:00Z", "me@here", "mv", checksum(OLD), checksum(NEW))
    journal.write_bytes(encode(Journal(BACKUP, (NEW,), entry, "state")))
    os.chown(journal, 12345, 12345)
    with pytest.raises(StoreError, match="it belongs to user 12345, who is neither you nor the owner of the state"):
        read_settled(str(state), system_context())
    assert state.read_bytes() == torn
    os.chown(state, 12345, 12345)
    assert read_settled(str(state), SILENT) == NEW


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes for others")
def test_what_root_writes_belongs_to_the_owner(tmp_path: Path) -> None:
    """The owner of a state goes on after an edit by root: with its backup, its history and its journal."""
    state = tmp_path / "state"
    state.write_bytes(OLD)
    os.chown(state, 12345, 23456)
    backup = replace_content(state, OLD, NEW, system_context().lock_info(state, "test"), system_context().note, now=NOW)
    assert backup is not None
    made = [backup, tmp_path / HISTORY, *(tmp_path / HISTORY).rglob("*")]
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(12345, 23456)}
    assert len(made) == 6
