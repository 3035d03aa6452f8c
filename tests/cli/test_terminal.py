"""On a terminal: nobody is left waiting before an empty screen, and lines follow its width."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.cli.states import SAMPLES, V3
from tests.cli.terminal import on_terminal

REFUSED = "statetool: standard input is a terminal: pipe a state into it or name a file\n"


@pytest.mark.parametrize("command", ["check -", "fmt -", "list --state -", "upgrade -"])
def test_standard_input_is_a_terminal(command: str, program: Program) -> None:
    assert on_terminal(program, f"statetool {command}", columns=120) == (2, REFUSED)


@pytest.mark.parametrize(("columns", "longest"), [(20, 40), (60, 60), (80, 80), (100, 100), (300, 120)])
def test_lines_follow_the_width(columns: int, longest: int, program: Program) -> None:
    shutil.copy(SAMPLES / "broken" / "backend-configuration.tfstate", "b")
    shown = on_terminal(
        program,
        "statetool --color never check --select STA012 b; statetool --color never list --state b",
        columns=columns,
    )
    lengths = [len(line) for line in shown.text.splitlines()]
    assert longest - 30 < max(lengths) <= longest


# What looks at a state, for every sample that is named after it.
LOOKING = [
    "list --state",
    "list --long --state",
    "show --state",
    "show --expand --show-sensitive --state",
    "providers",
    "providers --tree --resources",
    "providers --resources",
    "outputs",
    "stats",
]
LOOKED_AT = ["v3-legacy", "v4-deposed", "v4-identity", "v4-regions", "v4-sensitive"]
# Addresses, ids and the like stay in one piece, to be copied.
LONG_WORD = 40


@pytest.mark.parametrize("command", LOOKING)
def test_80_columns(command: str, program: Program) -> None:
    """Nothing is wider, unless a single word of it is far too long already."""
    lines = [f"statetool {command} {SAMPLES / name}.tfstate || echo FAILED" for name in LOOKED_AT]
    shown = on_terminal(program, "; ".join(lines), environment={"TERM": "dumb"}).text
    assert "FAILED" not in shown
    assert "\x1b" not in shown
    wide = [line for line in shown.splitlines() if len(line) > 80 and max(map(len, line.split())) < LONG_WORD]
    assert wide == []


def test_state_on_the_terminal(program: Program) -> None:
    """As `cat` would do: whoever wants a file says so."""
    Path("v3").write_bytes(V3)
    shown = on_terminal(program, "statetool upgrade v3")
    assert shown.status == 0
    assert shown.text.startswith('{\n  "version": 4,\n')
