"""Sets up the standard streams: open, in UTF-8, written in full, and coloured if wanted."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TextIO

from statefmt.cli.progress import Progress, PromptFile
from statefmt.cli.run import current_run
from statefmt.render.terminal import Terminal, printable_lines, terminal_columns, terminal_for
from statefmt.text import printable

if TYPE_CHECKING:
    from statefmt.cli.pager import Pager

_STANDARD_OUTPUT: Final = "standard output"


def open_streams(progress: Progress | None = None) -> None:
    """Open missing standard streams, and replace standard output and standard error.

    Any output on them ends `progress`.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The next file opened, perhaps a state, must not get the number of a standard stream. Standard output is
            # opened for reading, so that writing a result to it fails.
            os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_RDWR)
    # With PYTHONUNBUFFERED, Python's own stream silently writes in part; it also uses the locale's encoding.
    sys.stdout = _stream(_ResultFile(1, progress), "utf-8", "surrogateescape", by_line=os.isatty(1))
    encoding = sys.stderr.encoding if sys.stderr else "utf-8"
    sys.stderr = _stream(_MessageFile(2, progress), encoding, "backslashreplace", by_line=True)


class _ResultFile(PromptFile):
    """Standard output, perhaps with a pager. Its errors carry its name."""

    pager: Pager | None = None

    def write(self, data: object, /) -> int:
        try:
            if self.pager is None:
                return super().write(data)
            self.end_progress()
            content = bytes(data)  # type: ignore[call-overload] # whatever the buffer passes
            self.pager.write(content)
            return len(content)
        except OSError as error:
            error.filename = _STANDARD_OUTPUT
            raise


class _MessageFile(PromptFile):
    """Standard error. A failed write loses the message, and the command keeps its exit status."""

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes  # type: ignore[arg-type] # whatever the buffer passes


def _stream(file: io.FileIO, encoding: str, errors: str, *, by_line: bool) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(file), encoding=encoding, errors=errors, line_buffering=by_line)


def start_paging() -> None:
    """Send long output to the pager, if standard output is a terminal and there is one."""
    if not sys.stdout.isatty():
        return
    # Imported late: programs that run statetool have no terminal.
    from statefmt.cli.pager import Pager, pager_command

    command = pager_command(os.environ)
    if command and isinstance(file := _raw(sys.stdout), _ResultFile):
        file.pager = Pager(command, os.environ)


def end_paging() -> None:
    """Print everything that the pager has not yet shown, and wait until the user quits it."""
    if isinstance(file := _raw(sys.stdout), _ResultFile) and file.pager is not None:
        sys.stdout.flush()
        pager, file.pager = file.pager, None
        pager.close()


def _raw(stream: TextIO) -> object:
    return getattr(getattr(stream, "buffer", None), "raw", None)


def discard_output() -> None:
    """Discard everything still to be written to standard output, including what Python flushes at exit."""
    # If even that fails, run() ignores the error of the final flush.
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output_problem(error: OSError) -> str:
    """Return the message of an output error, with the name of the file."""
    if error.filename is None:
        problem = error.strerror or str(error)
    else:
        is_closed = error.filename == _STANDARD_OUTPUT and error.errno == errno.EBADF
        problem = f"{os.fsdecode(error.filename)}: {'it is closed' if is_closed else error.strerror}"
    return "; ".join([problem, *getattr(error, "__notes__", ())])


def result_terminal() -> Terminal:
    """Return the terminal settings for results on standard output."""
    return _terminal(sys.stdout)


def result_columns() -> int | None:
    """Return the width for tables on standard output; None if not a terminal, since programs want one line per row."""
    return terminal_columns(sys.stdout, current_run().context.environment)


def message_terminal() -> Terminal:
    """Return the terminal settings for messages on standard error."""
    return _terminal(sys.stderr)


def _terminal(stream: TextIO) -> Terminal:
    run = current_run()
    return terminal_for(stream, run.colour, run.context.environment)


def say(message: str, indent: str = "") -> None:
    """Print a message to standard error, wrapped on a terminal and with control characters escaped."""
    print(message_terminal().wrap(message, indent, "  "), file=sys.stderr)


def listed_name(name: str) -> str:
    """Return a file name for a list on standard output: escaped on a terminal, unchanged for programs."""
    return printable(name) if sys.stdout.isatty() else name


def write_result(data: bytes) -> None:
    """Write text from a state to standard output: escaped on a terminal, unchanged for programs."""
    if sys.stdout.isatty():
        data = "\t".join(map(printable_lines, data.decode().replace("\r\n", "\n").split("\t"))).encode()
    sys.stdout.buffer.write(data)
    # Messages that follow must not come first.
    sys.stdout.flush()
