"""The standard streams of the process: open, in UTF-8, written in full, and with colour where it is wanted."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from contextlib import suppress
from typing import Final, TextIO

from statefmt.cli.progress import Progress, PromptFile
from statefmt.cli.run import current_run
from statefmt.render.printable import printable, printable_lines
from statefmt.render.terminal import Terminal, terminal_for

_STANDARD_OUTPUT: Final = "standard output"


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
    # Python's own stream writes in part, without a word, where PYTHONUNBUFFERED is set, and follows the locale.
    sys.stdout = _stream(_ResultFile(1, progress), "utf-8", "surrogateescape", by_line=os.isatty(1))
    encoding = sys.stderr.encoding if sys.stderr else "utf-8"
    sys.stderr = _stream(_MessageFile(2, progress), encoding, "backslashreplace", by_line=True)


class _ResultFile(PromptFile):
    """Standard output. What goes wrong with it names it."""

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = _STANDARD_OUTPUT
            raise


class _MessageFile(PromptFile):
    """Standard error. A message that it does not take is lost, and the command goes on to its own exit status."""

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes  # type: ignore[arg-type] # whatever the buffer above it gives


def _stream(file: io.FileIO, encoding: str, errors: str, *, by_line: bool) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(file), encoding=encoding, errors=errors, line_buffering=by_line)


def discard_output() -> None:
    """Let everything that is still to be written to standard output vanish, also what Python writes at its end."""
    # Where even that is not possible, run() passes over what Python cannot write.
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output_problem(error: OSError) -> str:
    """What went wrong, for a message, with the file that the error names."""
    if error.filename is None:
        problem = error.strerror or str(error)
    else:
        is_closed = error.filename == _STANDARD_OUTPUT and error.errno == errno.EBADF
        problem = f"{os.fsdecode(error.filename)}: {'it is closed' if is_closed else error.strerror}"
    return "; ".join([problem, *getattr(error, "__notes__", ())])


def result_terminal() -> Terminal:
    """How to write results to standard output."""
    return _terminal(sys.stdout)


def result_columns() -> int | None:
    """How wide a table on standard output may be; None where that is no terminal: programs want a line for each row."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def message_terminal() -> Terminal:
    """How to write messages to standard error."""
    return _terminal(sys.stderr)


def _terminal(stream: TextIO) -> Terminal:
    run = current_run()
    return terminal_for(stream, run.colour, run.context.environment)


def say(message: str, indent: str = "") -> None:
    """Print a message to standard error, wrapped, with everything in it made safe to show."""
    print(message_terminal().wrap(message, indent, "  "), file=sys.stderr)


def listed_name(name: str) -> str:
    """The name of a file in a list on standard output: as it is for programs, made safe to show for a terminal."""
    return printable(name) if sys.stdout.isatty() else name


def write_result(data: bytes) -> None:
    """Write text from a state to standard output: as it is for programs, made safe to show for a terminal."""
    if sys.stdout.isatty():
        data = "\t".join(map(printable_lines, data.decode().replace("\r\n", "\n").split("\t"))).encode()
    sys.stdout.buffer.write(data)
