"""Renders the command line of this run for locks and histories, and records which options were given."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import click

from statefmt.cli.run import current_run
from statefmt.text.shell import shell_line

_VARIABLE: Final = "--var"
_BACKEND: Final = "--backend-config"
_CONDITION: Final = "--where"
SHOW_SENSITIVE: Final = "--show-sensitive"
# Keys of the parser's results in the `meta` of click's context.
_VALUES: Final = f"{__name__}.values"
_OPTIONS: Final = f"{__name__}.options"


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


def observe_parser(parser: Any, context: click.Context) -> None:
    """Record the options that the parser of a command finds, and reject an option in place of a value.

    After a usage error, the rest is parsed leniently, so that `was_given` works for it, too.
    """
    found: list[tuple[str, str]] = context.meta.setdefault(_VALUES, [])
    parse, take_value = parser.parse_args, parser._get_value_from_state

    def value_of(name: str, option: Any, state: Any) -> Any:
        following = state.rargs[0].partition("=")[0] if state.rargs else ""
        if option.nargs == 1 and (following in parser._long_opt or following in parser._short_opt):
            raise click.BadOptionUsage(name, f"Option '{name}' requires an argument.", context)
        value = take_value(name, option, state)
        found.append((name if name.startswith("--") or len(name) == len("-x") else f"-{name}", value))
        return value

    def parse_args(args: list[str]) -> Any:
        found.clear()
        result = parse(list(args))
        context.meta[_OPTIONS] = {name for parameter in result[2] for name in parameter.opts}
        return result

    def parse_all(args: list[str]) -> Any:
        try:
            return parse_args(args)
        except click.UsageError:
            parser.ignore_unknown_options = context.resilient_parsing = True
            parse_args(args)
            raise

    parser._get_value_from_state = value_of
    parser.parse_args = parse_all


def was_given(name: str) -> bool:
    """Return whether the command line has an option, even if the rest of it is invalid."""
    context = click.get_current_context(silent=True)
    return context is not None and name in context.meta.get(_OPTIONS, ())


def options_in_order(*names: str) -> list[tuple[str, str]]:
    """Return the given options of these names with their values, in command line order."""
    return [option for option in click.get_current_context().meta[_VALUES] if option[0] in names]
