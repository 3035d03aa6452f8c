"""A command that takes long says so on the terminal, and leaves nothing of it there."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from statefmt.cli.main import main
from statefmt.cli.streams import pace_text, phase_text
from tests.cli.conftest import Environment, Program
from tests.cli.states import SAMPLES
from tests.cli.terminal import on_terminal

SIGN = re.compile(rb"\rstatetool: reading, [0-9]+ s\x1b\[K")
STATE = (SAMPLES / "v4-resource-level.tfstate").read_bytes()
ERASE = "\r\x1b[K"


def _read_until(terminal: int, pattern: re.Pattern[bytes]) -> str:
    text = b""
    while not pattern.search(text):
        text += os.read(terminal, 1024)
    return text.decode()


def _rest(terminal: int) -> str:
    text = b""
    try:
        while part := os.read(terminal, 1024):
            text += part
    except OSError:
        # Linux says so when nobody has the terminal open any more.
        pass
    return text.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("state", "status", "last"),
    [
        pytest.param(STATE, 0, "data.aws_ami.base\n", id="a result"),
        pytest.param(b"{}", 2, "statetool: <standard input>: this state cannot be used\n", id="a message"),
    ],
)
def test_what_is_shown_goes_before_anything_else_comes(state: bytes, status: int, last: str, program: Program) -> None:
    """A pipe that nobody has written to yet takes as long as it must; the result goes to the terminal, too."""
    controller, terminal = pty.openpty()
    environment = {**program.environment, "TERM": "xterm"}
    process = subprocess.Popen(
        ["statetool", "list", "--state", "-"],
        stdin=subprocess.PIPE, stdout=terminal, stderr=terminal, env=environment,
    )  # fmt: skip
    os.close(terminal)
    assert process.stdin is not None
    _read_until(controller, SIGN)
    process.stdin.write(state)
    process.stdin.close()
    rest = _rest(controller)
    os.close(controller)
    assert process.wait() == status
    before, _, after = rest.partition(ERASE)
    assert set(SIGN.sub(b"", before.encode())) == set()
    assert after.startswith(last)
    assert "reading" not in after


def test_a_pipe_shows_what_it_has_brought(program: Program) -> None:
    """Nobody knows how much is still to come."""
    slow = "{ head -c 3500000 /dev/zero; sleep 3; } | statetool list --state -"
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        ["sh", "-c", slow],
        stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, env={**program.environment, "TERM": "xterm"},
    )  # fmt: skip
    os.close(terminal)
    shown = _rest(controller)
    os.close(controller)
    assert process.wait() == 2
    assert re.search(r"\rstatetool: reading 3 MB, 2 s\x1b\[K", shown)


# What the phases of a run are told, and what is shown.
PHASES = [
    (("reading", 0, 0, ""), "reading"),
    (("reading", 41, 100, ""), "reading 41 %"),
    (("reading", 419_999, 1_000_000, ""), "reading 41 %"),
    (("reading", 12_345_678, 0, ""), "reading 12 MB"),
    (("checking", 12, 40, "states"), "checking 12 of 40 states"),
    (("checking", 0, 2000, "states"), "checking 0 of 2,000 states"),
    (("listing", 2000, 0, "states"), "listing 2,000 states"),
    (("writing", 0, 0, ""), "writing"),
]


@pytest.mark.parametrize(("phase", "text"), PHASES)
def test_phases(phase: tuple[str, int, int, str], text: str) -> None:
    assert phase_text(*phase) == text


@pytest.mark.parametrize(
    ("done", "left", "seconds", "text"),
    [
        (0, 40, 5.0, ""),
        (-1, 40, 5.0, ""),
        (1200, 800, 10.0, ", 120/s, 7 s left"),
        (30_000, 20_000, 10.0, ", 3,000/s, 7 s left"),
        (2, 10, 60.0, ", 2/min, 5 min 0 s left"),
        (10, 0, 2.0, ", 5/s"),
    ],
)
def test_the_pace_of_a_phase(done: int, left: int, seconds: float, text: str) -> None:
    assert pace_text(done, left, seconds) == text


def test_an_edit_and_its_phases(folder: Path) -> None:
    Path("terraform.tfstate").write_bytes(STATE)
    assert _phases("mv", "aws_instance.web", "aws_instance.other") == ["locking", "reading", "editing", "writing"]


def test_a_file_is_read_in_shares(folder: Path) -> None:
    Path("terraform.tfstate").write_bytes(STATE + b" " * 3_500_000)
    told: list[tuple[str, int, int, str]] = []
    assert main(["list"], lambda *phase: told.append(phase)) == 0
    shares = [(done, total) for name, done, total, _ in told if name == "reading" and total]
    size = Path("terraform.tfstate").stat().st_size
    assert len(shares) == 4
    assert [total for _, total in shares] == [size] * 4
    assert [done for done, _ in shares] == sorted({done for done, _ in shares})
    assert shares[-1] == (size, size)


def test_one_of_many_states(folder: Path) -> None:
    for number in range(3):
        Path(f"{number}.tfstate").write_bytes(STATE)
    told: list[tuple[str, int, int, str]] = []
    main(["check", "."], lambda *phase: told.append(phase))
    assert told == [("checking", number, 3, "states") for number in range(3)]
    assert _phases("check", "0.tfstate") == ["reading", "checking"]


def _phases(*arguments: str) -> list[str]:
    names: list[str] = []
    main(list(arguments), lambda name, *_: None if names[-1:] == [name] else names.append(name))
    return names


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TERM": "xterm"}])
def test_what_is_fast_shows_nothing(environment: Environment, program: Program) -> None:
    shown = on_terminal(program, "statetool --version; statetool releases --help", environment=environment)
    assert shown.status == 0
    assert not SIGN.search(shown.text.encode())
    assert ERASE not in shown.text


def test_a_stream_that_is_no_terminal_is_told_nothing(program: Program) -> None:
    slow = "(sleep 3; cat) < /dev/null | statetool list --state - 2>messages; cat messages"
    shown = on_terminal(program, slow, environment={"TERM": "xterm"})
    assert not SIGN.search(shown.text.encode())
