"""Holds one run: its context, its command and its options. Repeats its command line for locks, histories and advice."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, NamedTuple

from statefmt import ProgressReport, RunContext
from statefmt.text import shell_line

if TYPE_CHECKING:
    from datetime import datetime

    from statefmt.store.reading import ReadReport


class Run(NamedTuple):
    """The context, the arguments of the program, `--color`, the name of the command, and its options.

    The options have long names and are in command line order; flags have an empty value. `named_hosts` are the hosts
    already printed after failures.
    """

    context: RunContext
    arguments: Sequence[str] = ()
    colour: str = "auto"
    command: str = ""
    options: Sequence[tuple[str, str]] = ()
    named_hosts: frozenset[str] = frozenset()


# typer passes its context to commands only, but called functions print, too.
_RUN: Final[ContextVar[Run | None]] = ContextVar("statetool", default=None)


@contextmanager
def running(run: Run) -> Iterator[None]:
    """Make this the current run of the block."""
    token = _RUN.set(run)
    try:
        yield
    finally:
        _RUN.reset(token)


def use_run(run: Run) -> None:
    """Replace the current run until the end of `running`. Without a run, does nothing."""
    if _RUN.get() is not None:
        _RUN.set(run)


def current_run() -> Run:
    """Return the run of the active command; outside commands, a run without arguments."""
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


_VARIABLE: Final = "--var"
_BACKEND: Final = "--backend-config"
_CONDITION: Final = "--where"
SHOW_SENSITIVE: Final = "--show-sensitive"


def command_line(hidden: Mapping[str, str] | None = None) -> str:
    """Return the command line of this run, quoted for a shell and without the program name.

    `hidden` maps arguments that may contain a secret to replacements. Values of variables and settings are always
    hidden, values of conditions if they are compared with sensitive values.
    """
    return shell_line(_shown_arguments(hidden or {}))


def command_with(command: str, *options: str, without: Collection[str] = ()) -> list[str]:
    """Return the words of this run's command line, with more options after the command and without some arguments."""
    arguments = [argument for argument in _shown_arguments({}) if argument not in without]
    place = arguments.index(command) + 1 if command in arguments else 0
    return ["statetool", *arguments[:place], *options, *arguments[place:]]


def repeatable_arguments(command: str, without: Collection[str] = ()) -> tuple[str, ...]:
    """Return the name of the command and all arguments after it, without secrets and without some of them."""
    arguments = _shown_arguments({})
    after = arguments[arguments.index(command) + 1 :] if command in arguments else arguments
    return (command, *(argument for argument in after if argument not in without))


def _shown_arguments(hidden: Mapping[str, str]) -> list[str]:
    arguments = current_run().arguments
    assigning = {_VARIABLE, _BACKEND} | ({_CONDITION} if was_given(SHOW_SENSITIVE) else set())
    # Also in the spelling of `tofu`.
    assigning |= {name.removeprefix("-") for name in assigning}
    told: list[str] = []
    for argument in arguments:
        name, equals, rest = argument.partition("=")
        if name in assigning and equals:
            file = name.endswith(_BACKEND.lstrip("-")) and "=" not in rest
            told.append(argument if file else f"{name}={_without_value(rest)}")
        elif told and told[-1] in assigning:
            # --backend-config also takes a file.
            file = told[-1].endswith(_BACKEND.lstrip("-")) and "=" not in argument
            told.append(argument if file else _without_value(argument))
        else:
            told.append(hidden.get(argument) or _without_url_values(argument))
    return told


def _without_url_values(argument: str) -> str:
    """Return an argument that may contain a URL, without possible secrets in it."""
    if "://" not in argument:
        return argument
    from statefmt.locations import url_without_values

    option, equals, value = argument.partition("=")
    if argument.startswith("-") and equals:
        return f"{option}={url_without_values(value)}"
    return url_without_values(argument)


def _without_value(assignment: str) -> str:
    name, equals, _ = assignment.partition("=")
    return f"{name}=…" if equals else "…"


def was_given(name: str) -> bool:
    """Return whether the command line has an option, by its long name, even if the rest of it is invalid."""
    return any(option == name for option, _ in current_run().options)


def options_in_order(*names: str) -> list[tuple[str, str]]:
    """Return the given options of these names with their values, in command line order."""
    return [option for option in current_run().options if option[0] in names]
