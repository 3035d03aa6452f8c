"""Two works at the same time: libraries that encrypt let Python do something else meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


def both(one: Callable[[], T], other: Callable[[], U]) -> tuple[T, U]:
    """What two functions give, the second one called in a thread of its own. What they raise is raised."""
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
