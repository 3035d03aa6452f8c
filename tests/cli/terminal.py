"""A real terminal to run the program on."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from typing import NamedTuple

from tests.cli.conftest import Environment, Program


class Shown(NamedTuple):
    """The exit status of a program, and what it wrote to the terminal."""

    status: int
    text: str


def on_terminal(
    program: Program, line: str, *, columns: int = 80, typed: str = "", environment: Environment = None
) -> Shown:
    """Run a line of sh with a terminal of some width for all three standard streams, on which something is typed."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        ["sh", "-c", line],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**program.environment, **(environment or {})},
    )
    os.close(terminal)
    # The end of input, for a program that reads all the same.
    os.write(controller, typed.encode() + b"\x04")
    text = b""
    try:
        while part := os.read(controller, 65536):
            text += part
    except OSError:
        # Linux says so when nobody has the terminal open any more.
        pass
    finally:
        os.close(controller)
    return Shown(process.wait(), text.decode().replace("\r\n", "\n"))
