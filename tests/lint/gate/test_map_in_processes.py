"""Work that is shared among processes gives what one process gives, in the same order."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from statefmt.lint.gate import map_in_processes

ITEMS = [f"item {number}" for number in range(11)]


@pytest.mark.parametrize("processes", [1, 2, 3, 11, 12, None])
def test_order(processes: int | None) -> None:
    assert map_in_processes(str.upper, ITEMS, processes) == [item.upper() for item in ITEMS]


@pytest.mark.parametrize("items", [[], ["one"]], ids=len)
def test_few_items(items: list[str]) -> None:
    assert map_in_processes(str.upper, items, 3) == [item.upper() for item in items]


def _process(item: str) -> int:
    return os.getpid()


def test_work_is_shared() -> None:
    ran_in = map_in_processes(_process, ITEMS, 3)
    assert ran_in[0] == os.getpid()
    assert [ran_in.index(process) for process in ran_in] == [number % 3 for number in range(11)]


def _in_parent_only(parent: int, item: str) -> str:
    if os.getpid() != parent:
        os._exit(9)
    return item


def _large(item: str) -> str:
    return item * 100_000


def test_share_of_a_process_that_dies_is_done_all_the_same() -> None:
    assert map_in_processes(partial(_in_parent_only, os.getpid()), ITEMS, 3) == ITEMS


def test_results_larger_than_a_pipe() -> None:
    assert map_in_processes(_large, ITEMS, 3) == [item * 100_000 for item in ITEMS]


def _fails_in_parent(parent: int, item: str) -> str:
    if os.getpid() == parent:
        raise KeyboardInterrupt
    return item


def test_no_process_is_left_when_the_work_is_broken_off() -> None:
    before = _children()
    with pytest.raises(KeyboardInterrupt):
        map_in_processes(partial(_fails_in_parent, os.getpid()), ITEMS, 3)
    assert _children() <= before


def _children() -> set[str]:
    """The processes that this one has started, other tests among them."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {child for task in tasks for child in task.read_text("ascii").split()}
