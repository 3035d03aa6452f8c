"""Shows a progress line on the terminal during long commands, and erases it before any other output.

A timer signal writes the line between two steps of the only thread: a second thread would be lost in the processes that
`check` forks.
"""

from __future__ import annotations

import io
import math
import os
import signal
import time
from typing import Final

# In seconds.
_PATIENCE: Final = 2.0
_INTERVAL: Final = 1.0
_ERASE: Final = b"\r\x1b[K"
_MESSAGES: Final = 2


class Progress:
    """The progress line on standard error. It does not return once anything else is printed."""

    def __init__(self) -> None:
        self._start = self._phase_start = time.monotonic()
        self._phase_base = 0
        self._is_shown = False
        self._phase = ("working", 0, 0, "")

    def report(self, name: str, done: int, total: int, unit: str) -> None:
        """Set the phase that the line shows next; see RunContext.phase()."""
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
        # The line before may have been longer.
        _write(f"\rstatetool: {phase_text(*self._phase)}{pace}, {int(now - self._start)} s\x1b[K".encode())


def phase_text(name: str, done: int, total: int, unit: str) -> str:
    """Format a phase: `checking 12 of 40 states`, `reading 41 %`, or `reading 12 MB` if the total is unknown."""
    if unit:
        return f"{name} {done:,} of {total:,} {unit}" if total else f"{name} {done:,} {unit}"
    if total:
        return f"{name} {100 * done // total} %"
    return f"{name} {done // 1_000_000:,} MB" if done else name


def pace_text(done: int, left: int, seconds: float) -> str:
    """Format the rate at which `done` things were done, and how long those that are left take: `, 120/s, 14 s left`.

    Empty if nothing is done yet.
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
        """Erase the progress line, if there is one."""
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
