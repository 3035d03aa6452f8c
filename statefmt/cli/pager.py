"""Sends output that does not fit on the screen to a pager, as git does."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

# What git passes to less: quit if it fits on one screen, keep colours, leave the screen as it is.
_LESS: Final = {"LESS": "FRX"}
_PROMPT_LINES: Final = 2


def pager_command(environment: Mapping[str, str]) -> str:
    """Return the shell command of the pager: PAGER, or less; empty if it is cat or not installed."""
    if environment.get("TERM", "dumb") == "dumb":
        return ""
    command = environment.get("PAGER", "less").strip()
    program = command.partition(" ")[0]
    # A pager that does not start would lose the output.
    return command if program != "cat" and shutil.which(program) else ""


class Pager:
    """Keeps output until it no longer fits on the screen, and then starts the pager for all of it.

    If the user quits the pager, the rest of the output is discarded and the command runs to its end.
    """

    def __init__(self, command: str, environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = {**_LESS, **environment}
        size = shutil.get_terminal_size()
        self._columns, self._room = size.columns, size.lines - _PROMPT_LINES
        self._kept: list[bytes] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._has_quit = False

    def write(self, data: bytes) -> None:
        """Keep or pass on a part of the output."""
        if self._process is not None:
            self._pass_on(data)
            return
        self._kept.append(data)
        self._room -= sum(1 + len(line) // self._columns for line in data.split(b"\n")[1:])
        if self._room < 0:
            # The pager handles an interrupt, and the command must not end before it.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", self._command], stdin=subprocess.PIPE, env=self._environment
            )
            self._pass_on(b"".join(self._kept))

    def close(self) -> None:
        """Print what was kept, or wait until the user quits the pager."""
        if self._process is None:
            kept = b"".join(self._kept)
            self._kept.clear()
            while kept:
                kept = kept[os.write(1, kept) :]
            return
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()

    def _pass_on(self, data: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        if self._has_quit:
            return
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except BrokenPipeError:
            self._has_quit = True
