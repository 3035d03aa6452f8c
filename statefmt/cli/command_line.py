"""Renders the command line of this run for locks and histories, and says which options were given."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from statefmt.cli.run import current_run
from statefmt.text import shell_line

_VARIABLE: Final = "--var"
_BACKEND: Final = "--backend-config"
_CONDITION: Final = "--where"
SHOW_SENSITIVE: Final = "--show-sensitive"


def command_line(hidden: Mapping[str, str] | None = None) -> str:
    """Return the command line of this run, quoted for a shell and without the program name.

    `hidden` maps arguments that may hold a secret to what replaces them. Values of variables and settings are
    always hidden, those of conditions if they are compared with sensitive values.
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
    # As `tofu` spells options, too.
    assigning |= {name.removeprefix("-") for name in assigning}
    told: list[str] = []
    for argument in arguments:
        name, equals, rest = argument.partition("=")
        if name in assigning and equals:
            file = name.endswith(_BACKEND.lstrip("-")) and "=" not in rest
            told.append(argument if file else f"{name}={_without_value(rest)}")
        elif told and told[-1] in assigning:
            # --backend-config takes a file, too.
            file = told[-1].endswith(_BACKEND.lstrip("-")) and "=" not in argument
            told.append(argument if file else _without_value(argument))
        else:
            told.append(hidden.get(argument) or _without_url_values(argument))
    return told


def _without_url_values(argument: str) -> str:
    """Return an argument that may be a URL, or an option with one, without what may be secret in it."""
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
