"""Maps a function over many items in several processes, keeping their order."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, NoReturn, TypeVar

# Not a ProcessPoolExecutor: importing concurrent.futures (which imports logging) takes 6 to 7 ms, in every process.
T = TypeVar("T")
R = TypeVar("R")

# Starting a process takes as long as checking some dozens of small states.
_SHARE: Final = 100
_MOST: Final = 8


class _Worker(NamedTuple):
    process: int
    pipe: int


def map_in_processes(
    work: Callable[[T], R],
    items: Sequence[T],
    processes: int | None = None,
    *,
    report: Callable[[int], None] = lambda _: None,
) -> list[R]:
    """Return the result of `work` for each item, in order. `work` must not raise or have side effects.

    By default, starts one process per processor, but no more than there is work for. `report` is called with the number
    of items that are done, as far as this process knows: it takes the others to be as fast.
    """

    def done_by_all(place: int, item: T) -> R:
        report(place * count)
        return work(item)

    count = _processes(len(items)) if processes is None else processes
    workers = [_started(work, items[number::count]) for number in range(1, count)]
    try:
        shares = [[done_by_all(place, item) for place, item in enumerate(items[0::count])]]
        for number, worker in enumerate(workers, 1):
            given: list[R] | None = _received(worker)
            # If a process has died, perhaps for lack of memory, this one does its share.
            shares.append(list(map(work, items[number::count])) if given is None else given)
    finally:
        for worker in workers:
            _ended(worker)
    return [shares[place % count][place // count] for place in range(len(items))]


def _processes(items: int) -> int:
    # Forking is unsafe on systems whose libraries start threads, such as macOS.
    if not sys.platform.startswith("linux"):
        return 1
    return max(1, min(len(os.sched_getaffinity(0)), items // _SHARE, _MOST))


def _started(work: Callable[[T], R], items: Sequence[T]) -> _Worker:
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        _work(work, items, writing)
    os.close(writing)
    return _Worker(process, reading)


def _work(work: Callable[[T], R], items: Sequence[T], writing: int) -> NoReturn:
    """Run in the worker and exit in any case, without running the parent's cleanup handlers."""
    # Imported late: usually there is one state, and no worker.
    import pickle

    status = 1
    try:
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(list(map(work, items)), pipe, pickle.HIGHEST_PROTOCOL)
        status = 0
    finally:
        os._exit(status)


def _received(worker: _Worker) -> list[R] | None:
    import pickle

    with os.fdopen(worker.pipe, "rb", closefd=False) as pipe:
        try:
            given: list[R] = pickle.load(pipe)
        except (EOFError, pickle.UnpicklingError):
            return None
    return given


def _ended(worker: _Worker) -> None:
    os.close(worker.pipe)
    with suppress(ProcessLookupError):
        os.kill(worker.process, 9)
    os.waitpid(worker.process, 0)
