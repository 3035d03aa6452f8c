"""The work of a comparison grows with the bytes, whatever differs; it is counted, not timed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from statefmt.analysis.diff.model import CheckResultsChange
from statefmt.analysis.diff.places import Plain, ValuePlace, places
from statefmt.model.snapshot import CheckObject, CheckResult
from statefmt.pairing import matched
from statefmt.render.diff import check_lines
from tests.instructions import instructions

_SIZES: Final = (50, 100, 200)
# Twice as many parts are twice the work, give or take; with quadratic work the step is four times as high.
_HIGHEST_STEP: Final = 2.5


class _Counted(str):
    """Text that is compared and hashed by instructions of Python, which are counted even if C code does it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)


def _assert_linear(work_on: Callable[[int], Callable[[], object]]) -> None:
    counts = [instructions(work_on(size)) for size in _SIZES]
    assert counts[2] - counts[1] < _HIGHEST_STEP * (counts[1] - counts[0]), counts


def test_messages_of_checks_are_compared_in_linear_time() -> None:
    def work_on(size: int) -> Callable[[], object]:
        old, new = (
            CheckObject(
                object_addr="aws_vpc.a",
                status="fail",
                failure_messages=tuple(_Counted(f"{prefix} {number}") for number in range(size)),
            )
            for prefix in ("old", "new")
        )
        before, after = (
            CheckResult(object_kind="resource", config_addr="aws_vpc.a", status="fail", objects=(one,))
            for one in (old, new)
        )
        changes = CheckResultsChange((before,), (after,))
        return lambda: [list(check_lines(old, new)) for _, old, new in changes.differing]

    _assert_linear(work_on)


def test_lists_that_need_too_much_work_are_compared_by_position() -> None:
    random = Random(0)
    old = [random.choice("ab") for _ in range(2000)]
    new = [random.choice("ab") for _ in range(2000)]
    assert matched(old, new) is None
    assert list(places([*old], [*new])) == [
        ValuePlace((number,)) for number in range(2000) if old[number] != new[number]
    ]


def test_deep_lists_are_compared_in_linear_time() -> None:
    def work_on(size: int) -> Callable[[], object]:
        return lambda: list(places(_nested("old", size), _nested("new", size)))

    _assert_linear(work_on)


def test_lists_of_blocks_in_another_order_are_compared_in_linear_time() -> None:
    def work_on(size: int) -> Callable[[], object]:
        old: list[Plain] = [{"n": str(number), "m": str(number)} for number in range(size)]
        return lambda: list(places(old, old[::-1]))

    _assert_linear(work_on)


def test_blocks_that_are_too_many_to_pair_are_compared_in_linear_time() -> None:
    def work_on(size: int) -> Callable[[], object]:
        old: list[Plain] = [{"n": str(number), "v": "x"} for number in range(size)]
        new: list[Plain] = [{"n": str(number), "v": "y"} for number in range(size)]
        return lambda: list(places(old, new))

    _assert_linear(work_on)


def test_deep_lists_with_an_element_before_them_are_compared_in_linear_time() -> None:
    def work_on(size: int) -> Callable[[], object]:
        return lambda: list(places([_nested("old", size), "a"], ["b", _nested("new", size), "a"]))

    _assert_linear(work_on)


def _nested(text: str, depth: int) -> Plain:
    value: Plain = text
    for number in range(depth):
        value = [value, str(number)]
    return value
