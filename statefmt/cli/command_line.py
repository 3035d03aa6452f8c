"""The command line of this run, as the lock and the history of a state tell it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextvars import ContextVar

_arguments: ContextVar[Sequence[str]] = ContextVar("arguments", default=())


def remember_arguments(arguments: Sequence[str]) -> None:
    """Keep what the program was started with."""
    _arguments.set(tuple(arguments))


def command_line(hidden: Mapping[str, str] | None = None) -> str:
    """What somebody would type to do this again, without the name of the program.

    `hidden` says what to tell instead of arguments that may hold a secret.
    """
    return shlex.join((hidden or {}).get(argument, argument) for argument in _arguments.get())
