"""Holds the context, the arguments and the colour option of one run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from statefmt import ProgressReport, RunContext

if TYPE_CHECKING:
    from datetime import datetime

    from statefmt.store.reading import ReadReport


@dataclass(frozen=True, slots=True)
class Run:
    """The context, the arguments of the program and `--color`. click passes it on as the `obj` of its contexts."""

    context: RunContext
    arguments: Sequence[str] = ()
    colour: str = "auto"


def current_run() -> Run:
    """Return the run of the active command; outside of commands, one without arguments."""
    context = click.get_current_context(silent=True)
    found = None if context is None else context.find_object(Run)
    return Run(system_context()) if found is None else found


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
