"""Holds what one run is: its context, its command and its options."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from statefmt import ProgressReport, RunContext

if TYPE_CHECKING:
    from datetime import datetime

    from statefmt.store.reading import ReadReport


@dataclass(frozen=True, slots=True)
class Run:
    """The context, the arguments of the program, `--color`, the name of the command, and its options.

    The options have long names and are in command line order; flags have an empty value. `named_hosts` are the hosts
    that failures have named.
    """

    context: RunContext
    arguments: Sequence[str] = ()
    colour: str = "auto"
    command: str = ""
    options: Sequence[tuple[str, str]] = ()
    named_hosts: frozenset[str] = frozenset()


# typer passes its context to commands only, and what they call prints, too.
_RUN: Final[ContextVar[Run | None]] = ContextVar("statetool", default=None)


@contextmanager
def running(run: Run) -> Iterator[None]:
    """Make this the run of everything that is called."""
    token = _RUN.set(run)
    try:
        yield
    finally:
        _RUN.reset(token)


def use_run(run: Run) -> None:
    """Go on with a changed run, until the end of `running`. Without one, nothing runs that could use it."""
    if _RUN.get() is not None:
        _RUN.set(run)


def current_run() -> Run:
    """Return the run of the active command; outside of commands, one without arguments."""
    return _RUN.get() or Run(system_context())


def run_context() -> RunContext:
    """Return the context of the active command."""
    return current_run().context


def system_context(progress: ProgressReport | None = None) -> RunContext:
    """Return the context of this process: its environment, clock, user and standard streams; no encryption."""
    is_watched = bool(sys.stderr and sys.stderr.isatty())
    return RunContext(
        os.environ, _now, _user, _note, _read_input, _write_output, progress=progress, names_hosts=is_watched
    )


def _now() -> datetime:
    from datetime import UTC, datetime

    return datetime.now(UTC)


def _user() -> str:
    from getpass import getuser
    from socket import gethostname

    try:
        user = getuser()
    except (OSError, KeyError):
        # A container may run as a user without a name.
        user = str(os.getuid())
    return f"{user}@{gethostname()}"


def _note(text: str) -> None:
    print(f"statetool: {text}", file=sys.stderr)


def _read_input(report: ReadReport | None) -> bytes:
    from statefmt.store.reading import largest_stream, read_stream

    return read_stream(sys.stdin, report, largest=largest_stream(os.environ))


def _write_output(content: bytes) -> None:
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
