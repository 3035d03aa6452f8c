"""A sign of life on the terminal while a command takes long: one line, which is gone before anything else is printed.

It is written from a timer's signal, between two steps of the one thread that there is: a thread of its own would be
lost in the processes that `check` forks.
"""

from __future__ import annotations

import io
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
    """The line on standard error. Once something else is printed, it does not come back."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._is_shown = False

    def begin(self) -> None:
        """Show how long it has taken, from two seconds on."""
        signal.signal(signal.SIGALRM, self._show)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _INTERVAL)

    def end(self) -> None:
        """Show it no longer, and leave the terminal as it was."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        if self._is_shown:
            self._is_shown = False
            _write(_ERASE)

    def _show(self, *_: object) -> None:
        self._is_shown = True
        _write(b"\rstatetool: working, %d s" % (time.monotonic() - self._start))


class PromptFile(io.FileIO):
    """A stream that is written to; the line of progress, if there is one, goes first."""

    def __init__(self, descriptor: int, progress: Progress | None = None) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._progress = progress

    def write(self, data: object, /) -> int:
        if self._progress is not None:
            self._progress.end()
        return super().write(data)  # type: ignore[arg-type] # whatever the buffer above it gives


def can_be_shown() -> bool:
    """Whether standard error is a terminal that can erase a line."""
    return os.isatty(_MESSAGES) and os.environ.get("TERM", "dumb") != "dumb" and hasattr(signal, "setitimer")


def _write(text: bytes) -> None:
    # Past all buffers: the signal may come while one of them is being written to.
    try:
        os.write(_MESSAGES, text)
    except OSError:
        # A terminal that has gone is no reason to stop.
        return
