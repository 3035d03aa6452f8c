"""Something else at every path that is statetool's own: no victim changes, nothing hangs, and the state is whole."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.adversary.observed import Observed
from tests.adversary.runs import Ended, Forks
from tests.adversary.scenes import SAMPLES, SAYS_SO, STATE, said

_HISTORY: Final = f".{STATE}.statetool"
_SHA: Final = hashlib.sha256((SAMPLES / "v4-regions.tfstate").read_bytes()).hexdigest()
_OTHER_SHA: Final = hashlib.sha256(b"").hexdigest()
_SPARSE: Final = 1 << 36
_NEAR: Final = 6
_FILE: Final = "victim/precious"
_FOLDER: Final = "victim/box"

# What statetool opens, makes, reads or deletes by itself, or what is named to it.
# `{backup}` are those of the next seconds.
_PATHS: Final = (
    _HISTORY,
    f"{_HISTORY}/.gitignore",
    f"{_HISTORY}/history.json",
    f"{_HISTORY}/history.json.new",
    f"{_HISTORY}/contents",
    f"{_HISTORY}/contents/{_SHA}",
    f"{_HISTORY}/contents/{_SHA}.gz",
    f"{_HISTORY}/contents/{_OTHER_SHA}",
    f"{_HISTORY}/contents/0123456789abcdef.tmp",
    f"{_HISTORY}/contents/notes.txt",
    f".{STATE}.statetool.journal",
    f".{STATE}.lock.info",
    "{backup}",
    "new",
    "old",
    "statetool.toml",
    "pyproject.toml",
    ".terraform",
    ".terraform/environment",
    ".terraform/terraform.tfstate",
)
_COMMANDS: Final = (
    ("list",),
    ("check", STATE),
    ("history", STATE),
    ("history", "--keep", "1", STATE),
    ("history", "--prune", "--older-than", "0h", "-y", STATE),
    ("restore", "new", "-y"),
    ("mv", "aws_vpc.main", "aws_vpc.net"),
    ("mv", "aws_vpc.main", "aws_vpc.net", "--backup", "old"),
    ("mv", "aws_vpc.main", "aws_vpc.net", "--out", "new"),
    ("mv", "aws_vpc.main", "aws_vpc.net", "--out", "new", "-y"),
    ("fmt", "--style", "compact", STATE),
    ("undo", STATE),
    ("encrypt", "-i", "--discard-plain", "--encryption", "c.hcl", STATE),
)


def _symlink_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(Path(target).absolute() if not target.startswith("/") else target)


def _socket(path: Path) -> None:
    with chdir(path.parent), socket.socket(socket.AF_UNIX) as listening:
        # A name that is short enough for a socket, then the right one.
        listening.bind("s")
        Path("s").rename(path.name)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(_SPARSE)


def _unreadable(path: Path) -> None:
    path.write_bytes(b"unreadable")
    path.chmod(0)


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "kept").write_bytes(b"kept")


_PLANTS: Final[dict[str, Callable[[Path], object]]] = {
    "link to a file": _symlink_to(_FILE),
    "link to a folder": _symlink_to(_FOLDER),
    "dangling link": _symlink_to("victim/none"),
    "link to /dev/zero": _symlink_to("/dev/zero"),
    "link to itself": lambda path: path.symlink_to(path.name),
    "FIFO": os.mkfifo,
    "folder": _folder,
    "socket": _socket,
    "huge file": _sparse,
    "unreadable file": _unreadable,
    "hard link": lambda path: os.link(_FILE, path),
    "other bytes": lambda path: path.write_bytes(b"\xff\x00[" * 5000),
    "deep JSON": lambda path: path.write_bytes(b"[" * 200_000),
}


def test_some_plants(run: Forks, random: Random, observed: Observed, tmp_path: Path) -> None:
    cases = [(path, name, command) for path in _PATHS for name in _PLANTS for command in _COMMANDS]
    for path, name, command in random.sample(cases, 25):
        _try(path, name, command, random, run, observed, tmp_path)
    observed.settle()


@pytest.mark.adversary
@pytest.mark.parametrize("path", _PATHS)
def test_all_plants(path: str, run: Forks, random: Random, observed: Observed, tmp_path: Path) -> None:
    for name in _PLANTS:
        for command in _COMMANDS:
            _try(path, name, command, random, run, observed, tmp_path)
    observed.settle()


def _try(
    path: str, name: str, command: tuple[str, ...], random: Random, run: Forks, observed: Observed, folder: Path
) -> None:
    here = folder / "here"
    has_history = command[0] in ("undo", "history") or random.random() < 0.5
    _prepare(here, run, has_history=has_history)
    with chdir(here):
        for place in _places(path):
            _plant(Path(place), name)
    if path == "new" and command[-1] == "-y" and name in ("link to a file", "hard link"):
        # Somebody named it, and said that it may be replaced.
        shutil.rmtree(here)
        return
    before, old = _victims(here), (here / STATE).read_bytes()
    ended = run(here, *command, unprivileged=name == "unreadable file", timeout=10)
    observed.count("plants")

    def case() -> str:
        history = "after an edit, " if has_history else ""
        return f"{history}{name} at {path}: statetool {' '.join(command)}: {ended.status} {said(ended)[-300:]}"

    _check(run, here, ended, command, before, old, observed, case)
    shutil.rmtree(here)


def _check(
    run: Forks,
    here: Path,
    ended: Ended,
    command: tuple[str, ...],
    before: dict[str, object],
    old: bytes,
    observed: Observed,
    case: Callable[[], str],
) -> None:
    observed.expect(_victims(here) == before, "no file of others changes", case)
    observed.expect(not ended.timed_out, "no hang", case)
    observed.expect("Traceback" not in ended.err, "no traceback", case)
    words = said(ended)
    observed.expect("Cannot allocate memory" not in words and "MemoryError" not in words, "memory is bounded", case)
    statuses = (0, 1, 2) if command[0] == "check" else (0, 2)
    observed.expect(ended.timed_out or ended.status in statuses, "the exit status is 0 or 2", case)
    now = (here / STATE).read_bytes()
    in_place = command[0] not in ("list", "check", "history") and "--out" not in command
    if not in_place:
        observed.expect(now == old, "what does not write leaves the state", case)
    elif ended.status == 0:
        observed.expect(now != old, "with exit status 0 the state was written", case)
    elif now != old:
        observed.expect(
            bool(SAYS_SO.search(words)) and "nothing was written" not in words, "what was changed is said to be", case
        )
    keys = ("--encryption", "c.hcl") if command[0] == "encrypt" else ()
    shutil.copyfile(here / STATE, here / "read.tfstate")
    read = run(here, "list", "--state", "read.tfstate", *keys)
    observed.expect(read.status == 0, "the state is whole", case)


def _prepare(here: Path, run: Forks, *, has_history: bool) -> None:
    (here / "victim" / "box").mkdir(parents=True)
    for name in ("precious", "box/precious", f"box/{_SHA}", f"box/{_OTHER_SHA}", "box/history.json", "box/a.tmp"):
        (here / "victim" / name).write_bytes(b"precious\n")
    shutil.copyfile(SAMPLES / "v4-regions.tfstate", here / STATE)
    (here / "c.hcl").write_text(
        'key_provider "pbkdf2" "one" {\n  passphrase = "correct-horse-battery-staple"\n  iterations = 200000\n}\n'
        'method "aes_gcm" "one" {\n  keys = key_provider.pbkdf2.one\n}\nstate {\n  method = method.aes_gcm.one\n}\n'
    )
    if has_history:
        ended = run(here, "set-serial", "70")
        assert ended.status == 0, ended


def _places(path: str) -> Iterator[str]:
    if path != "{backup}":
        yield path
        return
    now = int(time.time())
    for second in range(now, now + _NEAR):
        yield f"{STATE}.{second}.backup"


def _plant(path: Path, name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    with suppress(FileNotFoundError):
        path.unlink()
    _PLANTS[name](path)


def _victims(here: Path) -> dict[str, object]:
    """Names, contents and modes of everything that is not statetool's."""
    return {
        str(path.relative_to(here)): (path.read_bytes() if path.is_file() else b"", path.stat().st_mode)
        for path in sorted((here / "victim").rglob("*"))
    }
