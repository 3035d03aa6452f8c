"""States from pipes that have a name: read as any file, and never written to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.cli.states import COMPACT, HAND_EDITED

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")


def _line(command: str) -> str:
    """A line of sh that runs a command in bash, whose `<(…)` makes a pipe and names it."""
    return f"bash -c '{command}'"


# A command of bash, its exit status and what it prints.
CASES = [
    ("statetool check --select STA001 <(cat canonical)", 0, b"1 state checked: no findings\n"),
    ("statetool fmt --check <(cat canonical)", 0, b""),
    ("statetool upgrade --style compact <(sleep 0.2; cat hand-edited)", 0, COMPACT),
    ("statetool fmt --stdout --style compact <(cat hand-edited)", 0, COMPACT),
    ("statetool list --state <(cat canonical)", 0, b""),
    ("cat canonical | statetool fmt --check /dev/stdin", 0, b""),
    (
        "statetool upgrade --style compact hand-edited -o >(cat >out); until cmp -s out canonical; do sleep 0.05; done",
        0,
        b"",
    ),
    ("mkfifo pipe; cat hand-edited >pipe & sleep 0.1; statetool upgrade --style compact pipe", 0, COMPACT),
]


@pytest.mark.parametrize(("command", "status", "output"), CASES)
def test_read(command: str, status: int, output: bytes, program: Program) -> None:
    Path("canonical").write_bytes(COMPACT)
    Path("hand-edited").write_bytes(HAND_EDITED)
    result = program.in_shell(_line(command))
    assert (result.status, result.out) == (status, output), result.err


WRITING = ["fmt <(cat hand-edited)", "upgrade --in-place <(cat hand-edited)"]


@pytest.mark.parametrize("command", WRITING)
def test_not_written_to(command: str, program: Program) -> None:
    Path("hand-edited").write_bytes(HAND_EDITED)
    result = program.in_shell(_line(f"statetool {command}"))
    assert (result.status, result.out) == (2, b"")
    assert "regular file" in " ".join(result.err.split())
    assert [path.name for path in Path().iterdir()] == ["hand-edited"]
