"""Runs two functions in parallel, which helps because encryption releases Python's global lock."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

# Not a ThreadPoolExecutor: importing concurrent.futures (which imports logging) takes 6 to 7 ms.
T = TypeVar("T")
U = TypeVar("U")


def both(one: Callable[[], T], other: Callable[[], U]) -> tuple[T, U]:
    """Call two functions, the second in its own thread, and return both results. Raises what either raises."""
    results: list[U] = []
    problems: list[BaseException] = []

    def work() -> None:
        try:
            results.append(other())
        except BaseException as error:
            problems.append(error)

    thread = Thread(target=work)
    thread.start()
    try:
        result = one()
    finally:
        thread.join()
    for problem in problems:
        raise problem
    return result, results[0]
