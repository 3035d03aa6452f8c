"""Whole processes, measured from outside: time on the clock, time of processors, and the most memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

_MEGABYTE: Final = 1 << 20
# The system counts in bytes on macOS and in units of 1024 elsewhere.
_UNIT: Final = 1 if sys.platform == "darwin" else 1024


class Figures(NamedTuple):
    """Seconds on the clock, seconds of all processors, and megabytes of memory at most."""

    clock: float
    processor: float
    memory: float


class Process(NamedTuple):
    """A command to be measured, and what makes its input ready before each run, which does not count.

    `statuses` are the exit statuses that it may end with.
    """

    command: Sequence[str]
    prepare: Callable[[], None] = lambda: None
    statuses: frozenset[int] = frozenset({0})


def run(process: Process, output: Path | None = None) -> Figures:
    """One run; what it prints goes into a file, or nowhere. Ends the program where the run fails."""
    process.prepare()
    with (output or Path(os.devnull)).open("wb") as file:
        start = time.perf_counter()
        child = subprocess.Popen(process.command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.PIPE)
        assert child.stderr is not None
        messages = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        took = time.perf_counter() - start
        child.stderr.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in process.statuses:
        command = " ".join(process.command)
        raise SystemExit(f"{command}: exit status {child.returncode}\n{messages.decode(errors='replace')}")
    return Figures(took, used.ru_utime + used.ru_stime, used.ru_maxrss * _UNIT / _MEGABYTE)


def in_turn(processes: Sequence[Process], runs: int) -> list[Figures]:
    """The medians of as many runs of each process, which take turns, after one that is not counted."""
    rounds = [[run(process) for process in processes] for _ in range(runs + 1)]
    return [Figures(*map(statistics.median, zip(*column, strict=True))) for column in zip(*rounds[1:], strict=True)]
