"""Commands that are killed at any call that changes something: the old or the new state is read back in full."""

from __future__ import annotations

import hashlib
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import chdir
from pathlib import Path

import pytest

import statefmt
from statefmt.cli.main import main
from statefmt.store.settled import read_settled

from ..store.test_killed import CALLS
from ..store.test_watched import NEEDS_STRACE
from .conftest import PROGRAM
from .states import SAMPLES

pytestmark = NEEDS_STRACE

# A new file is written under a name that nobody can know before.
NEW_FILE_CALLS = ("write", "fsync", "link", "unlink")
STATE = "terraform.tfstate"
REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
# What it shows, what is done before, the command that is killed, the file it writes, and how often it writes at least.
COMMANDS = [
    ("in place", None, ["mv", "aws_vpc.main", "aws_vpc.net"], STATE, 30),
    ("a second time", ["mv", "aws_vpc.main", "aws_vpc.net"], ["rm", "-y", "aws_vpc.net"], STATE, 28),
    ("undo", ["mv", "aws_vpc.main", "aws_vpc.net"], ["undo"], STATE, 28),
    ("a backup elsewhere", None, ["mv", "--backup", "elsewhere/old", "aws_vpc.main", "aws_vpc.net"], STATE, 30),
    ("a new file", None, ["mv", "--out", "new", "aws_vpc.main", "aws_vpc.net"], "new", 6),
    ("fmt", None, ["fmt", "--style", "compact"], STATE, 30),
]


@pytest.mark.parametrize(
    ("before", "command", "target", "fewest"), [case[1:] for case in COMMANDS], ids=[case[0] for case in COMMANDS]
)
def test_killed(before: list[str] | None, command: list[str], target: str, fewest: int, tmp_path: Path) -> None:
    points = 0
    seen = set()
    for call in CALLS if target == STATE else NEW_FILE_CALLS:
        for number in range(1, 100):
            folder = tmp_path / f"{call}{number}"
            old = _prepared(folder, before)
            watched = _watched(folder) if target == STATE else ()
            if _run(folder, command, watched, call, number) == 0:
                break
            points += 1
            content = _read_back(folder, target)
            assert (folder / STATE).read_bytes() in ({old} if target != STATE else {old, content})
            seen.add(_kind(content, old, target))
        assert number < 99, call
    assert points >= fewest
    assert seen == {"old", "new"}


def _prepared(folder: Path, before: list[str] | None) -> bytes:
    (folder / "elsewhere").mkdir(parents=True)
    state = folder / STATE
    state.write_bytes(REGIONS)
    if before:
        with chdir(folder):
            assert main(before) == 0
    return state.read_bytes()


def _run(folder: Path, command: list[str], watched: Iterable[str], call: str, number: int) -> int:
    """Run a command that is killed at one call that changes something; 0 where there is no such call any more."""
    done = subprocess.run(
        [
            shutil.which("strace") or "strace", "-o", "/dev/null", *watched,
            "-e", f"inject={call}:signal=SIGKILL:when={number}", PROGRAM, *command,
        ],
        cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def _watched(folder: Path) -> Iterator[str]:
    history = f".{STATE}.statetool"
    digest = hashlib.sha256((folder / STATE).read_bytes()).hexdigest()
    names = [STATE, "new", "elsewhere/old", f".{STATE}.lock.info", f".{STATE}.statetool.journal", history]
    names += [f"{history}/{name}" for name in (".gitignore", "history.json.new", "contents", f"contents/{digest}")]
    for path in [folder, *(folder / name for name in names), *map(Path, names)]:
        yield from ("-P", str(path))


def _read_back(folder: Path, target: str) -> bytes | None:
    """What statetool reads after a kill, if there is anything; it must be what everybody else reads, too."""
    path = folder / target
    if not path.exists():
        return None
    content = read_settled(str(path))
    statefmt.read(content)
    assert not (folder / f".{target}.statetool.journal").exists()
    assert path.read_bytes() == content
    return content


def _kind(content: bytes | None, old: bytes, target: str) -> str:
    if content in (None, old):
        return "old"
    assert content is not None
    return "new"
