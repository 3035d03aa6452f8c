"""The command line of this run, as the lock and the history of a state tell it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextvars import ContextVar

_arguments: ContextVar[Sequence[str]] = ContextVar("arguments", default=())


def remember_arguments(arguments: Sequence[str]) -> None:
    """Keep what the program was started with."""
    _arguments.set(tuple(arguments))


def command_line() -> str:
    """What somebody would type to do this again, without the name of the program."""
    return shlex.join(_arguments.get())
