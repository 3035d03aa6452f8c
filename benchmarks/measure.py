"""Whole processes, measured from outside: time on the clock, time of processors, and the most memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

MEGABYTE: Final = 1 << 20
# The exit status of statetool where it could not do something.
REFUSED: Final = 2
# The system counts in bytes on macOS and in units of 1024 elsewhere.
_UNIT: Final = 1 if sys.platform == "darwin" else 1024
# The most memory of a process counts from before it became another program, so that a small one starts each.
_LAUNCH: Final = """
import os, sys, time
report, command = int(sys.argv[1]), sys.argv[2:]
os.set_inheritable(report, False)
start = time.perf_counter()
_, status, used = os.wait4(os.posix_spawnp(command[0], command, os.environ), 0)
took = time.perf_counter() - start
figures = took, used.ru_utime + used.ru_stime, used.ru_maxrss, os.waitstatus_to_exitcode(status)
os.write(report, " ".join(map(str, figures)).encode())
"""


class RunError(Exception):
    """A process failed. `status` is its exit status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Figures(NamedTuple):
    """Seconds on the clock, seconds of all processors, megabytes of memory at most."""

    clock: float
    processor: float
    memory: float


class Process(NamedTuple):
    """A command to measure, and what makes its input ready before each run, which does not count.

    One that `may_refuse` its input says so with exit status 2.
    """

    command: Sequence[str]
    prepare: Callable[[], None] = lambda: None
    may_refuse: bool = False


def run(process: Process, output: Path | None = None) -> Figures:
    """One run; what it prints goes into a file, or nowhere.

    Exit status 1 is success: statetool and diff report findings and differences with it. A program that fails with it
    says so on standard error. Raises RunError.
    """
    process.prepare()
    report, passed = os.pipe()
    launch = [sys.executable, "-I", "-S", "-c", _LAUNCH, str(passed), *process.command]
    with (output or Path(os.devnull)).open("wb") as file, os.fdopen(report) as reading:
        child = subprocess.Popen(
            launch, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.PIPE, pass_fds=[passed]
        )
        os.close(passed)
        _, messages = child.communicate()
        clock, processor, memory, status = map(float, reading.read().split() or ["0", "0", "0", str(child.returncode)])
    refused = process.may_refuse and status == REFUSED
    if not refused and (status not in (0, 1) or (status and messages)):
        said = messages.decode(errors="replace").strip()
        raise RunError(int(status), f"{' '.join(process.command)}: exit status {status:g}\n{said}")
    return Figures(clock, processor, memory * _UNIT / MEGABYTE)


class Runs:
    """The runs of each process, which several comparisons share. A process that takes over `slow` seconds runs once."""

    def __init__(self, slow: float) -> None:
        self._slow = slow
        self._done: dict[tuple[str, ...], list[Figures]] = {}

    def run(self, process: Process, number: int = 0) -> Figures:
        """The run with this number; the last one if the process is slow. Raises RunError."""
        done = self._done.setdefault(tuple(process.command), [])
        while number >= len(done) and not (done and done[0].clock > self._slow):
            done.append(run(process))
        return done[min(number, len(done) - 1)]

    def in_turn(self, one: Process, other: Process, count: int) -> list[tuple[Figures, Figures]]:
        """Pairs of runs; in every second one the other program goes first."""
        pairs = []
        for number in range(count):
            if number % 2:
                second = self.run(other, number)
                pairs.append((self.run(one, number), second))
            else:
                pairs.append((self.run(one, number), self.run(other, number)))
        return pairs
