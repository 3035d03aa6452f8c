"""Counts the instructions that a function runs, so that tests can see how work grows without a clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, Final

# Of the six that `sys.monitoring` has, the first that it names for no kind of program.
_TOOL: Final = 3


def instructions(work: Callable[[], object], prepare: Callable[[], object] = lambda: None) -> int:
    """Return the number of instructions that a function runs, of Python's own, when it is called for the second time.

    The first call fills caches. `prepare` is called before each, and not counted. Other threads are not counted.
    Fails if nothing was counted: a test would compare nothing with nothing.
    """
    prepare()
    work()
    prepare()
    count = _count(work)
    assert count > 0, "no instruction of the function was counted"
    return count


if sys.version_info >= (3, 12):
    # Tracing does not count on Python 3.13: a frame is asked for its opcodes only as it begins.

    def _count(work: Callable[[], object]) -> int:
        count = 0
        own, thread = sys._getframe().f_code, get_ident()

        def instruction(code: CodeType, _: int) -> object:
            nonlocal count
            if code is own:
                return sys.monitoring.DISABLE
            count += get_ident() == thread
            return None

        events = sys.monitoring.events
        sys.monitoring.use_tool_id(_TOOL, "instructions")
        try:
            sys.monitoring.register_callback(_TOOL, events.INSTRUCTION, instruction)
            sys.monitoring.set_events(_TOOL, events.INSTRUCTION)
            work()
        finally:
            sys.monitoring.set_events(_TOOL, events.NO_EVENTS)
            sys.monitoring.free_tool_id(_TOOL)
        return count

else:

    def _count(work: Callable[[], object]) -> int:
        count = 0

        def local(_: FrameType, event: str, __: Any) -> Any:
            nonlocal count
            count += event == "opcode"
            return local

        def start(frame: FrameType, _: str, __: Any) -> Any:
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
            return local

        before = sys.gettrace()
        sys.settrace(start)
        try:
            work()
        finally:
            sys.settrace(before)
        return count
