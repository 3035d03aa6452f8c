"""A real terminal to run the program on."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from threading import Thread
from typing import NamedTuple

import pytest

from statefmt.cli.main import main
from tests.cli.conftest import Environment, Program


class Shown(NamedTuple):
    """The exit status of a program, and what it wrote to the terminal."""

    status: int
    text: str


def on_terminal(
    program: Program, line: str, *, columns: int = 80, typed: str = "", environment: Environment = None
) -> Shown:
    """Run a line of sh with a terminal of some width for all three standard streams, on which something is typed."""
    controller, terminal = _terminal(columns)
    process = subprocess.Popen(
        ["sh", "-c", line],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        # A pager would wait for keys.
        env={"PAGER": "cat", **program.environment, **(environment or {})},
    )
    os.close(terminal)
    # The end of input, for a program that reads all the same.
    os.write(controller, typed.encode() + b"\x04")
    text = _read(controller)
    return Shown(process.wait(), text)


def in_process(*arguments: str, columns: int = 80) -> Shown:
    """Run the program within this process, with a terminal for standard output and standard error."""
    controller, terminal = _terminal(columns)
    texts: list[str] = []
    reader = Thread(target=lambda: texts.append(_read(controller)))
    reader.start()
    with pytest.MonkeyPatch.context() as patch, os.fdopen(terminal, "w", encoding="utf-8") as stream:
        patch.setattr(sys, "stdout", stream)
        patch.setattr(sys, "stderr", stream)
        status = main(list(arguments))
    reader.join()
    return Shown(status, texts[0])


def _terminal(columns: int) -> tuple[int, int]:
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return controller, terminal


def _read(controller: int) -> str:
    text = b""
    try:
        while part := os.read(controller, 65536):
            text += part
    except OSError:
        # Linux says so when nobody has the terminal open any more.
        pass
    finally:
        os.close(controller)
    return text.decode().replace("\r\n", "\n")
