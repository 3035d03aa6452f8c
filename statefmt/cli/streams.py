"""The standard streams: opens and colours them, asks for confirmation, and runs the pager and the progress line.

The progress line is written by a timer signal, between two steps of the only thread: a second thread would be lost in
the processes that `check` forks. Any other output erases it.
"""

from __future__ import annotations

import errno
import io
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, TextIO

import typer

from statefmt import StoreError
from statefmt.cli.run import current_run
from statefmt.render.terminal import Terminal, printable_lines, terminal_columns, terminal_for
from statefmt.text import printable

# In seconds.
_PATIENCE: Final = 2.0
_INTERVAL: Final = 1.0
_ERASE: Final = b"\r\x1b[K"
_MESSAGES: Final = 2


class Progress:
    """The progress line on standard error. It ends with the first other output."""

    def __init__(self) -> None:
        self._start = self._phase_start = time.monotonic()
        self._phase_base = 0
        self._is_shown = False
        self._phase = ("working", 0, 0, "")

    def report(self, name: str, done: int, total: int, unit: str) -> None:
        """Set the next phase of the line; see RunContext.phase()."""
        if name != self._phase[0]:
            self._phase_start = time.monotonic()
            self._phase_base = done
        self._phase = (name, done, total, unit)

    def begin(self) -> None:
        """Show the phase and the elapsed time, starting after two seconds."""
        signal.signal(signal.SIGALRM, self._show)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _INTERVAL)

    def end(self) -> None:
        """Stop, and erase the line."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        if self._is_shown:
            self._is_shown = False
            _write(_ERASE)

    def _show(self, *_: object) -> None:
        self._is_shown = True
        now = time.monotonic()
        done, total, unit = self._phase[1:]
        is_counted = unit and total
        pace = pace_text(done - self._phase_base, total - done, now - self._phase_start) if is_counted else ""
        # Pads over a longer earlier line.
        _write(f"\rstatetool: {phase_text(*self._phase)}{pace}, {int(now - self._start)} s\x1b[K".encode())


def phase_text(name: str, done: int, total: int, unit: str) -> str:
    """Format a phase: `checking 12 of 40 states`, `reading 41 %`, or `reading 12 MB` if the total is unknown."""
    if unit:
        return f"{name} {done:,} of {total:,} {unit}" if total else f"{name} {done:,} {unit}"
    if total:
        return f"{name} {100 * done // total} %"
    return f"{name} {done // 1_000_000:,} MB" if done else name


def pace_text(done: int, left: int, seconds: float) -> str:
    """Format the rate and the remaining time: `, 120/s, 14 s left`.

    Returns "" if nothing is done yet.
    """
    if done <= 0 or seconds <= 0:
        return ""
    rate = done / seconds
    pace = f", {rate:,.0f}/s" if rate >= 1 else f", {60 * rate:,.0f}/min"
    minutes, rest = divmod(math.ceil(left / rate), 60)
    if minutes:
        return f"{pace}, {minutes:,} min {rest} s left"
    return f"{pace}, {rest} s left" if rest else pace


class PromptFile(io.FileIO):
    """An output stream that erases the progress line before it writes."""

    def __init__(self, descriptor: int, progress: Progress | None = None) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._progress = progress

    def end_progress(self) -> None:
        """Erase the progress line, if any."""
        if self._progress is not None:
            self._progress.end()

    def write(self, data: object, /) -> int:
        self.end_progress()
        return super().write(data)  # type: ignore[arg-type] # whatever the buffer passes


def can_be_shown() -> bool:
    """Return whether standard error is a terminal that can erase a line."""
    return os.isatty(_MESSAGES) and os.environ.get("TERM", "dumb") != "dumb" and hasattr(signal, "setitimer")


def _write(text: bytes) -> None:
    # Bypass Python's buffers: the signal may interrupt a write to one of them.
    try:
        os.write(_MESSAGES, text)
    except OSError:
        # A missing terminal is no reason to stop.
        return


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
    command = pager_command(os.environ)
    if command and isinstance(file := _raw(sys.stdout), _ResultFile):
        file.pager = Pager(command, os.environ)


def end_paging() -> None:
    """Print the remaining output of the pager, and wait until the user quits it."""
    if isinstance(file := _raw(sys.stdout), _ResultFile) and file.pager is not None:
        sys.stdout.flush()
        pager, file.pager = file.pager, None
        pager.close()


def _raw(stream: TextIO) -> object:
    return getattr(getattr(stream, "buffer", None), "raw", None)


def discard_output() -> None:
    """Discard all unwritten output, including Python's flush at exit."""
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
    # Messages that follow must not appear first.
    sys.stdout.flush()


# The advice without a terminal, if a command has both options.
ADVICE: Final = "Use --dry-run to see the changes, or --yes to write them"


def confirmed(question: str, what: str, done: str, advice: str) -> bool:
    """Ask a question on standard error. Raises StoreError if there is no terminal.

    The error says that `what` needs confirmation and that nothing was `done`, and gives the advice.
    """
    if not _can_be_asked():
        raise StoreError(f"{what} needs confirmation, and there is no terminal to ask on; nothing was {done}. {advice}")
    return typer.confirm(question, err=True)


def asking() -> Callable[[str], bool] | None:
    """Return a function that asks a question on standard error; None without a terminal."""
    return (lambda question: typer.confirm(printable(question), err=True)) if _can_be_asked() else None


def _can_be_asked() -> bool:
    return bool(sys.stdin and sys.stdin.isatty() and sys.stderr.isatty())


# git's options for less: quit if the output fits on one screen, keep colours, leave the screen unchanged.
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
    """Buffers output until it no longer fits on the screen, and then starts the pager for all of it.

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
        """Buffer or pass on a part of the output."""
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
        """Print the buffered output, or wait until the user quits the pager."""
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
