"""The entry point of the program: its version, without anything else; the rest of the program for everything else."""

from __future__ import annotations

import gc
import os
import sys

from statefmt.version import __version__


def run() -> None:
    """Run the command that the process was started with, and end the process with its exit status."""
    # Before the library for command lines is loaded, which takes longer than Python itself.
    if sys.argv[1:] != ["--version"] or not _printed(f"statetool {__version__}\n".encode()):
        # Modules are made of objects that stay: looking for garbage among them takes a tenth of the time.
        gc.disable()
        from statefmt.cli.main import run

        run()


def _printed(line: bytes) -> bool:
    """Whether a line could be written; the program says why, where it cannot."""
    try:
        return os.write(1, line) == len(line)
    except OSError:
        return False
