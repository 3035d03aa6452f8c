"""Counts the instructions that a function runs, so that tests can see how work grows without a clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def instructions(work: Callable[[], object], prepare: Callable[[], object] = lambda: None) -> int:
    """Return the number of instructions that a function runs, of Python's own, when it is called for the second time.

    The first call fills caches. `prepare` is called before each, and not counted.
    """
    count = 0

    def local(_: FrameType, event: str, __: Any) -> Any:
        nonlocal count
        count += event == "opcode"
        return local

    def start(frame: FrameType, _: str, __: Any) -> Any:
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return local

    prepare()
    work()
    prepare()
    before = sys.gettrace()
    sys.settrace(start)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
