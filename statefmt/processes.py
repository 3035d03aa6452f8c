"""Forked processes that inherit their work, which cannot be pickled; items and answers are pickled.

Not a ProcessPoolExecutor: when a process dies, it fails every item without naming the culprit; its processes wait
forever after their parent is killed, and cannot read standard input, which `multiprocessing` closes.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, BinaryIO, Final

_MOST: Final = 8


def processor_count() -> int:
    """Return how many processes to use at most: 1 where forking is unsafe, since libraries start threads (macOS)."""
    return min(len(os.sched_getaffinity(0)), _MOST) if sys.platform.startswith("linux") else 1


def forked(work: Callable[[], None]) -> int:
    """Start a process for `work`, without tracebacks and without the exit handlers of this one; return its ID."""
    process = os.fork()
    if process == 0:
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, 0)
            work()
        except BaseException:  # the parent sees that there is no answer
            pass
        finally:
            os._exit(0)
    return process


def send(pipe: BinaryIO, value: object) -> None:
    """Write a value to a pipe, for received()."""
    pickle.dump(value, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def received(pipe: BinaryIO) -> Any:
    """Read a value from a pipe; None if the process at the other end has ended."""
    try:
        return pickle.load(pipe)
    except (EOFError, pickle.UnpicklingError):
        return None


class Worker:
    """A process that does `work` on one item after the other, until it is ended or this process has ended.

    `answers` becomes readable after an item. `others` are the workers already running.
    """

    def __init__(self, work: Callable[[Any], Any], others: Iterable[Worker] = ()) -> None:
        answers, writing = os.pipe()
        reading, items = os.pipe()

        def serve() -> None:
            os.close(answers)
            # A worker notices that its parent was killed once no process has the other end of its pipe.
            for descriptor in (items, *(other.items.fileno() for other in others)):
                os.close(descriptor)
            # The collector would copy memory that is shared with the parent.
            gc.freeze()
            with os.fdopen(reading, "rb") as given, os.fdopen(writing, "wb") as done:
                while True:
                    send(done, work(pickle.load(given)))

        self._process = forked(serve)
        os.close(reading)
        os.close(writing)
        self.items, self.answers = os.fdopen(items, "wb"), os.fdopen(answers, "rb")

    def give(self, item: object) -> None:
        """Let the process work on an item."""
        with suppress(BrokenPipeError):  # answer() tells that the process has died
            send(self.items, item)

    def answer(self) -> Any:
        """Wait for the answer to the item; None if the process has died."""
        return received(self.answers)

    def end(self) -> None:
        """Kill the process, unless it has ended."""
        with suppress(BrokenPipeError):  # of an item that was not sent
            self.items.close()
        self.answers.close()
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
