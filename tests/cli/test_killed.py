"""Commands that are killed at any call that changes something: the old or the new state is read back in full."""

from __future__ import annotations

import os
import signal
from contextlib import chdir
from pathlib import Path

import pytest

import statefmt
from statefmt.cli.main import main
from statefmt.cli.run import system_context
from statefmt.store.local.settled import read_settled
from tests.adversary.runs import Forks
from tests.cli.states import SAMPLES
from tests.store.local.test_killed import CALLS, watched
from tests.store.local.test_watched import NEEDS_STRACE

pytestmark = NEEDS_STRACE

STATE = "terraform.tfstate"
REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
# What it shows, what is done before, the command that is killed, the file it writes, and how often it writes at least.
COMMANDS = [
    ("in place", None, ["mv", "aws_vpc.main", "aws_vpc.net"], STATE, 30),
    ("a second time", ["mv", "aws_vpc.main", "aws_vpc.net"], ["rm", "-y", "aws_vpc.net"], STATE, 28),
    ("undo", ["mv", "aws_vpc.main", "aws_vpc.net"], ["undo"], STATE, 28),
    ("restore", ["mv", "--out", "saved", "aws_vpc.main", "aws_vpc.net"], ["restore", "-y", "saved"], STATE, 30),
    ("no backup", None, ["mv", "--no-backup", "aws_vpc.main", "aws_vpc.net"], STATE, 30),
    ("a backup elsewhere", None, ["mv", "--backup", "elsewhere/old", "aws_vpc.main", "aws_vpc.net"], STATE, 30),
    ("a new file", None, ["mv", "--out", "new", "aws_vpc.main", "aws_vpc.net"], "new", 6),
    ("fmt", None, ["fmt", "--style", "compact"], STATE, 30),
]


# `make test` kills most of them at one call in so many, `make slow` at all.
SHARE = 4


@pytest.mark.parametrize(
    ("before", "command", "target", "fewest", "share"),
    [
        pytest.param(*case[1:], share, id=f"{case[0]}, one in {share}", marks=marks)
        for case in COMMANDS
        for share, marks in ([(1, [])] if case is COMMANDS[0] else [(SHARE, []), (1, [pytest.mark.slow])])
    ],
)
def test_killed(
    before: list[str] | None, command: list[str], target: str, fewest: int, share: int, tmp_path: Path, forked: Forks
) -> None:
    points = 0
    seen = set()
    for call in CALLS:
        for number in range(1, 100, share):
            folder = tmp_path / f"{call}{number}"
            old = _prepared(folder, before)
            if _run(forked, folder, command, call, number) == 0:
                break
            points += 1
            content = _read_back(folder, target)
            assert (folder / STATE).read_bytes() in ({old} if target != STATE else {old, content})
            seen.add(_kind(content, old, target))
        assert number < 100 - share, call
    assert points >= fewest // share
    assert seen == {"old", "new"}


def _prepared(folder: Path, before: list[str] | None) -> bytes:
    (folder / "elsewhere").mkdir(parents=True)
    state = folder / STATE
    state.write_bytes(REGIONS)
    if before:
        with chdir(folder):
            assert main(before) == 0
    return state.read_bytes()


def _run(forked: Forks, folder: Path, command: list[str], call: str, number: int) -> int:
    """Run a command that is killed at one call that changes something; 0 where there is no such call any more."""
    injection = f"inject={call}:signal=SIGKILL:when={number}"
    options = ["-o", "/dev/null", *watched(injection, folder, STATE), "-e", injection]
    names = ("CANARY", "EDITOR", "TF_ENCRYPTION", "TMPDIR", "XDG_RUNTIME_DIR")
    environment = {name: os.environ[name] for name in names if name in os.environ}
    done = forked(folder, *command, strace=options, environment=environment)
    assert done.status in (0, -signal.SIGKILL), done.err
    return done.status


def _read_back(folder: Path, target: str) -> bytes | None:
    """What statetool reads after a kill, if there is anything; it must be what everybody else reads, too."""
    path = folder / target
    if not path.exists():
        return None
    content = read_settled(str(path), system_context())
    statefmt.read(content)
    assert not (folder / f".{target}.statetool.journal").exists()
    assert path.read_bytes() == content
    return content


def _kind(content: bytes | None, old: bytes, target: str) -> str:
    if content in (None, old):
        return "old"
    assert content is not None
    return "new"
