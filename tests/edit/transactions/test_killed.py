"""Killed at any call that writes: finished, all is new; taken back, all is old; and nothing is lost in between."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.edit.transactions.split_scene import ENCRYPTED
from tests.edit.transactions.sweep import AGAIN, SPLIT, UNDO
from tests.edit.transactions.three_states import CHAIN, CIRCLE, CREATION
from tests.store.local.test_watched import NEEDS_STRACE

pytestmark = NEEDS_STRACE

_ROOT = Path(__file__).resolve().parents[3]
# A kill as a call begins: after all calls before it. Files are also created by `openat`, which mostly reads.
CALLS = "write,fsync,ftruncate,link,linkat,mkdir,mkdirat,rename,renameat,unlink,unlinkat"
# Locks, journal, markers, four writes, each with its backup, history and journal, and the way back.
FEWEST = 190


@pytest.mark.parametrize("share", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_at_every_call(share: int, tmp_path: Path) -> None:
    """In a circle, a state is written twice, so this has all kinds of writes."""
    assert len(_swept(tmp_path, CIRCLE, share=share)) >= FEWEST // share


@pytest.mark.parametrize("calls", ["renameat", pytest.param("fsync,unlinkat", marks=pytest.mark.slow)])
def test_a_full_disk(calls: str, tmp_path: Path) -> None:
    """It is refused with a message, and what is left can be finished and taken back."""
    assert len(_swept(tmp_path, CIRCLE, ",".join(f"{call}:ENOSPC" for call in calls.split(",")))) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("operations", [CHAIN, CIRCLE, CREATION], ids=["chain", "circle", "creation"])
def test_killed_in_an_undo(operations: str, tmp_path: Path) -> None:
    assert len(_swept(tmp_path, UNDO + operations)) >= FEWEST - 50


@pytest.mark.slow
@pytest.mark.parametrize("first", ["ftruncate:1", "ftruncate:2", "ftruncate:3", "rename:1"])
@pytest.mark.parametrize("change", ["resume", "abort"])
def test_killed_again_at_the_end_of_an_undo(first: str, change: str, tmp_path: Path) -> None:
    assert len(_swept(tmp_path, UNDO + CIRCLE, CALLS, f"{change}:{first}")) >= 40


@pytest.mark.slow
def test_killed_while_states_are_created(tmp_path: Path) -> None:
    """A file, and a state in a backend."""
    assert len(_swept(tmp_path, CREATION)) >= FEWEST - 50


@pytest.mark.slow
@pytest.mark.parametrize("first", ["ftruncate:1", "ftruncate:2", "ftruncate:3", "rename:1"])
@pytest.mark.parametrize("change", ["resume", "abort"])
def test_killed_again_at_the_end_of_a_creation(first: str, change: str, tmp_path: Path) -> None:
    assert len(_swept(tmp_path, CREATION, CALLS, f"{change}:{first}")) >= 40


@pytest.mark.slow
def test_killed_while_empty_states_are_created(tmp_path: Path) -> None:
    """An undo has left them. They stay when the change is taken back."""
    assert len(_swept(tmp_path, AGAIN + CREATION)) >= FEWEST - 50


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", ENCRYPTED])
@pytest.mark.parametrize(("calls", "fewest"), [(CALLS, 100), ("openat", 100)], ids=["writes", "openings"])
def test_killed_in_a_split(kind: str, calls: str, fewest: int, tmp_path: Path) -> None:
    """The command makes its operations again from the state, or from what that was."""
    assert len(_swept(tmp_path, SPLIT + kind, calls)) >= fewest


@pytest.mark.slow
@pytest.mark.parametrize("first", ["ftruncate:1", "ftruncate:2", "ftruncate:3"])
@pytest.mark.parametrize("change", ["resume", "abort"])
def test_killed_again_at_the_end_of_a_split(first: str, change: str, tmp_path: Path) -> None:
    assert len(_swept(tmp_path, SPLIT + ENCRYPTED, CALLS, f"{change}:{first}")) >= 40


@pytest.mark.slow
def test_killed_at_every_opening(tmp_path: Path) -> None:
    assert len(_swept(tmp_path, CIRCLE, "openat")) >= FEWEST


@pytest.mark.slow
def test_killed_in_a_chain(tmp_path: Path) -> None:
    assert len(_swept(tmp_path, CHAIN)) >= FEWEST - 50


@pytest.mark.slow
@pytest.mark.parametrize("first", ["ftruncate:1", "ftruncate:2", "ftruncate:3", "rename:1"])
@pytest.mark.parametrize("change", ["resume", "abort"])
def test_killed_again_at_the_end(first: str, change: str, tmp_path: Path) -> None:
    assert len(_swept(tmp_path, CIRCLE, CALLS, f"{change}:{first}")) >= 40


def _swept(folder: Path, operations: str, calls: str = CALLS, *first: str, share: int = 1) -> list[object]:
    command = [
        sys.executable,
        "-m",
        "tests.edit.transactions.sweep",
        str(folder),
        operations,
        str(share),
        calls,
        *first,
    ]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kills = [json.loads(line) for line in done.stdout.splitlines()]
    assert [kill for kill in kills if kill[2]] == []
    return kills
