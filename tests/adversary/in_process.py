"""Running commands inside this process, for as many as a night allows."""

from __future__ import annotations

import io
import resource
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from statefmt.cli.main import main

# A guard against hangs: no input here takes a second.
_HANG: Final = 60
_MEMORY: Final = 2 << 30


class Finished(NamedTuple):
    """How a command ended. `status` is None where it raised: `err` ends with the traceback then."""

    status: int | None
    out: str
    err: str


class HangError(Exception):
    """Something took far too long."""


def command(folder: Path, *arguments: str) -> Finished:
    """Run a command in a folder, which may not hang nor take memory without end."""
    with guarded():
        return unguarded(folder, *arguments)


def unguarded(folder: Path, *arguments: str) -> Finished:
    """Run a command in a folder."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape"), io.StringIO()
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    status: int | None = None
    try:
        with chdir(folder):
            status = main(list(arguments))
    except Exception:
        traceback.print_exc(file=err, limit=-4)
    finally:
        sys.stdout, sys.stderr = before
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return Finished(status, out.buffer.getvalue().decode("utf-8", "replace"), err.getvalue())


@contextmanager
def guarded() -> Iterator[None]:
    """Raise where something hangs, or takes memory without end."""

    def stop(*_: Any) -> None:
        raise HangError

    limits = resource.getrlimit(resource.RLIMIT_AS)
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    handler = signal.signal(signal.SIGALRM, stop)
    resource.setrlimit(resource.RLIMIT_AS, (in_use + _MEMORY, limits[1]))
    signal.alarm(_HANG)
    try:
        yield
    finally:
        signal.alarm(0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGALRM, handler)
