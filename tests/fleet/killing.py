"""What workers run in tests: one state kills the process that reads it, as the kernel does when memory is short."""

from __future__ import annotations

import os
import signal

from statefmt.cli.commands import fleet as fleet_worker

KILLER = "killer.tfstate"


def read_states(job: bytes) -> bytes:
    if KILLER.encode() in job:
        os.kill(os.getpid(), signal.SIGKILL)
    return fleet_worker.read_states(job)


def no_rows(job: bytes) -> bytes:
    return b"\x80"


def failing(job: bytes) -> bytes:
    raise ValueError(len(job))
