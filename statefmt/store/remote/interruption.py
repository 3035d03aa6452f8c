"""Turns signals into exceptions while a state in a backend is locked, so that no signal leaves the lock behind.

By default, SIGTERM and SIGHUP end a process at once. Only the main thread gets signals, so other threads are not
affected; neither are signals that the program handles itself.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

from statefmt.store.files import signals_held_back

_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")


class TerminatedError(BaseException):
    """A signal asked the process to end. It is raised where the signal arrives, and finally ends the process."""


class Interruption:
    """The signals that arrived while states were locked.

    The first signal raises KeyboardInterrupt or TerminatedError, at once or after the last deferral. A second signal of
    the same kind raises again; a signal of another kind does not: terminals and schedulers send several.
    """

    def __init__(self) -> None:
        self._deferred = 0
        self._first: int | None = None
        self._seen: set[int] = set()
        self._was_raised = False

    def defer(self) -> None:
        """Defer the first signal until the matching `resume`."""
        self._deferred += 1

    def resume(self, *, is_failed: bool) -> None:
        """Raise a deferred signal, unless it is still deferred, or the edit has failed anyway."""
        self._deferred -= 1
        if not is_failed and not self._deferred and self._first is not None and not self._was_raised:
            self._raise(self._first)

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Defer the first signal during a change, and block signals that are not handled here.

        A second signal of the same kind ends even a hanging request.
        """
        is_failed = True
        with signals_held_back(but=[number for number in _numbers() if _handling(number) is self]):
            self.defer()
            try:
                yield
                is_failed = False
            finally:
                self.resume(is_failed=is_failed)

    @property
    def ends_process(self) -> int | None:
        """The signal that must end the process, or None."""
        return None if self._first in (None, signal.SIGINT) else self._first

    def arrived(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal."""
        repeated = number in self._seen
        self._seen.add(number)
        if self._first is None:
            self._first = number
        elif not repeated:
            return
        if repeated or not self._deferred:
            self._raise(number)

    def _raise(self, number: int) -> NoReturn:
        self._was_raised = True
        raise KeyboardInterrupt if number == signal.SIGINT else TerminatedError


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Let signals raise exceptions; at the end, a terminating signal ends the process.

    A nested `interruptible` yields the outer Interruption.
    """
    outer = next(filter(None, map(_handling, _numbers())), None)
    if outer is not None:
        yield outer
        return
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
    if interruption.ends_process is not None:
        signal.raise_signal(interruption.ends_process)


def _numbers() -> list[int]:
    return [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]


def _handling(number: int) -> Interruption | None:
    """Return the handler of a signal, if it is an Interruption."""
    owner = getattr(signal.getsignal(number), "__self__", None)
    return owner if isinstance(owner, Interruption) else None


def _handled(interruption: Interruption) -> dict[int, signal._HANDLER]:
    """Handle the terminating signals; return their previous handlers."""
    before: dict[int, signal._HANDLER] = {}
    if threading.current_thread() is threading.main_thread():
        for number in _numbers():
            handler = signal.getsignal(number)
            if handler in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, interruption.arrived)
    return before
