"""What counts instructions counts them all, on every Python, and only those of the function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Thread

import pytest

from tests.instructions import instructions


def _generator(size: int) -> Iterator[int]:
    yield from (number for number in range(size))


def _descend(depth: int) -> None:
    if depth:
        _descend(depth - 1)


def _raise(times: int) -> None:
    for _ in range(times):
        try:
            raise KeyError
        except KeyError:
            pass


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda size: [number for number in range(size)], id="loop"),  # noqa: C416
        pytest.param(lambda size: list(_generator(size)), id="generator"),
        pytest.param(lambda size: sorted(range(size), key=lambda number: -number), id="called from C"),
        pytest.param(_descend, id="recursion"),
        pytest.param(_raise, id="exceptions"),
    ],
)
def test_twice_the_work_is_twice_the_count(work: Callable[[int], object]) -> None:
    few, more, many = (instructions(lambda size=size: work(size)) for size in (100, 200, 400))  # type: ignore[misc]
    assert many - more == pytest.approx(2 * (more - few), rel=0.02)
    assert more - few >= 100


def test_the_same_work_has_the_same_count() -> None:
    assert len({instructions(lambda: list(_generator(50))) for _ in range(3)}) == 1


def test_a_function_without_instructions_fails() -> None:
    with pytest.raises(AssertionError, match="counted"):
        instructions(list)


def test_an_error_ends_the_count() -> None:
    calls = iter([None])
    with pytest.raises(StopIteration):
        instructions(lambda: next(calls))
    assert instructions(lambda: None) < 10


def test_other_threads_are_not_counted() -> None:
    def with_thread(size: int) -> None:
        thread = Thread(target=lambda: list(_generator(size)))
        thread.start()
        thread.join()

    assert instructions(lambda: with_thread(10_000)) < 5_000
