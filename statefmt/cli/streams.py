"""The standard streams of the process: open, in UTF-8, written in full, and with colour where it is wanted."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from contextvars import ContextVar

from statefmt.cli.progress import Progress, PromptFile
from statefmt.render.terminal import Terminal, terminal_for

_colour: ContextVar[str] = ContextVar("colour", default="auto")


def open_streams(progress: Progress | None = None) -> None:
    """Make the standard streams of this process fit for use, whatever it was started with.

    What is written to them ends the `progress` that is shown.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The next file to be opened, a state perhaps, must not get the number of a standard stream. Standard
            # output is opened for reading, so that a result that goes nowhere is an error.
            os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_RDWR)
    if sys.stderr is None:
        # print() would take standard output instead.
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 - it stays open to the end
    # Python's own stream writes in part, without a word, where PYTHONUNBUFFERED is set, and follows the locale.
    if progress is None:
        sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
        return
    sys.stdout = _ending(progress, 1, "utf-8", "surrogateescape")
    sys.stderr = _ending(progress, 2, sys.stderr.encoding, "backslashreplace")


def _ending(progress: Progress, number: int, encoding: str, errors: str) -> io.TextIOWrapper:
    """A standard stream that ends the progress before it is written to."""
    buffer = io.BufferedWriter(PromptFile(number, progress))
    return io.TextIOWrapper(buffer, encoding=encoding, errors=errors, line_buffering=number == 2 or os.isatty(number))


def discard_output() -> None:
    """Let everything that is still to be written to standard output vanish, also what Python writes at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output_problem(error: OSError) -> str:
    """What went wrong, for a message: with the file that the error names, else with standard output."""
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return f"standard output: {'it is closed' if error.errno == errno.EBADF else error.strerror}"


def use_colour(choice: str) -> None:
    """Follow the option --color: `auto`, `always` or `never`."""
    _colour.set(choice)


def result_terminal() -> Terminal:
    """How to write results to standard output."""
    return terminal_for(sys.stdout, _colour.get())


def result_columns() -> int | None:
    """How wide a table on standard output may be; None where that is no terminal: programs want a line for each row."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def message_terminal() -> Terminal:
    """How to write messages to standard error."""
    return terminal_for(sys.stderr, _colour.get())
