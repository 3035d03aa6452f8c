"""A command that takes long says so on the terminal, and leaves nothing of it there."""

from __future__ import annotations

import os
import pty
import re
import subprocess

import pytest

from tests.cli.conftest import Environment, Program
from tests.cli.states import SAMPLES
from tests.cli.terminal import on_terminal

SIGN = re.compile(rb"\rstatetool: working, [0-9]+ s")
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
    assert "working" not in after


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TERM": "xterm"}])
def test_what_is_fast_shows_nothing(environment: Environment, program: Program) -> None:
    shown = on_terminal(program, "statetool --version; statetool releases --help", environment=environment)
    assert shown.status == 0
    assert "working" not in shown.text
    assert ERASE not in shown.text


def test_a_stream_that_is_no_terminal_is_told_nothing(program: Program) -> None:
    slow = "(sleep 3; cat) < /dev/null | statetool list --state - 2>messages; cat messages"
    shown = on_terminal(program, slow, environment={"TERM": "xterm"})
    assert "working" not in shown.text
