"""The entry point: handles completion and --version, and loads the program for everything else."""

from __future__ import annotations

import gc
import os
import sys

from statefmt import __version__


def run() -> None:
    """Run the command line of this process, and exit with its status.

    Imports create no garbage, and collecting it takes a tenth of their time.
    """
    if "STATETOOL_COMPLETE" in os.environ:
        gc.disable()
        from statefmt.cli.completion import answer

        answer(os.environ["STATETOOL_COMPLETE"], os.environ, sys.argv[1:])
        # Skip the interpreter's cleanup: a shell waits.
        os._exit(0)
    # Answer without loading typer, which takes longer than starting Python.
    if sys.argv[1:] != ["--version"] or not _printed(f"statetool {__version__}\n".encode()):
        gc.disable()
        from statefmt.cli.main import run

        run()


def _printed(line: bytes) -> bool:
    """Write a line. Returns False if that fails: the full program then reports the error."""
    try:
        return os.write(1, line) == len(line)
    except OSError:
        return False
