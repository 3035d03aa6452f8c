"""Turns signals into exceptions while a state in a backend is locked, so that no signal leaves the lock behind.

By default, SIGTERM and SIGHUP end a process at once. Only the main thread gets signals, so elsewhere nothing changes; nor
does it for signals that the program handles itself.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")


class TerminatedError(BaseException):
    """A signal asked the process to end. It is raised where the signal arrives, and ends the process at last."""


class Interruption:
    """The signals that arrived while a state was locked.

    The first one raises KeyboardInterrupt or TerminatedError at once, or at the end if it is `deferred`. After the
    first, another signal of the same kind raises again; one of another kind does not: terminals and schedulers send
    several.
    """

    def __init__(self) -> None:
        self.deferred = False
        self.first: int | None = None
        self._seen: set[int] = set()
        self._was_raised = False

    @property
    def is_pending(self) -> bool:
        """Whether a signal has arrived that has raised nothing so far."""
        return self.first is not None and not self._was_raised

    def arrived(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal."""
        repeated = number in self._seen
        self._seen.add(number)
        if self.first is None:
            self.first = number
        elif not repeated:
            return
        if repeated or not self.deferred:
            self._was_raised = True
            raise KeyboardInterrupt if number == signal.SIGINT else TerminatedError


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Let signals raise exceptions; at the end, do what the first one does by default."""
    interruption = Interruption()
    before = _handled(interruption)
    try:
        yield interruption
    except TerminatedError:
        # The signal itself follows.
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    first = interruption.first
    if first is not None and (first != signal.SIGINT or interruption.is_pending):
        signal.raise_signal(first)


def _handled(interruption: Interruption) -> dict[int, signal._HANDLER]:
    """Handle the signals that would end the process; return how they were handled."""
    before: dict[int, signal._HANDLER] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)):
            handler = signal.getsignal(number)
            if handler in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, interruption.arrived)
    return before
