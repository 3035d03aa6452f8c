"""The command line of this run, as the lock and the history of a state tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.cli.run import current_run
from statefmt.shell import shell_line

_VARIABLE: Final = "--var"


def command_line(hidden: Mapping[str, str] | None = None) -> str:
    """What somebody would type to do this again, without the name of the program.

    `hidden` says what to tell instead of arguments that may hold a secret. Values of variables always may.
    """
    told: list[str] = []
    for argument in current_run().arguments:
        name, equals, rest = argument.partition("=")
        if name == _VARIABLE and equals:
            told.append(f"{_VARIABLE}={_without_value(rest)}")
        elif told and told[-1] == _VARIABLE:
            told.append(_without_value(argument))
        else:
            told.append((hidden or {}).get(argument, argument))
    return shell_line(told)


def _without_value(assignment: str) -> str:
    name, equals, _ = assignment.partition("=")
    return f"{name}=…" if equals else "…"


def options_in_order(*names: str) -> list[tuple[str, str]]:
    """Which of some options with a value were given, and with which, in the order of the command line."""
    found: list[tuple[str, str]] = []
    arguments = iter(current_run().arguments)
    for argument in arguments:
        if argument == "--":
            break
        name, equals, value = argument.partition("=")
        if name in names:
            found.append((name, value if equals else next(arguments, "")))
    return found
