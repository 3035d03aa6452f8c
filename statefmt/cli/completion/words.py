"""Finds the next word of a command line: an option, the value of an option, or an argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperArgument, TyperOption

from statefmt import StatetoolError
from statefmt.cli.completion.next_word import NextWord
from statefmt.cli.program import HELP_OPTIONS, command_named, program
from statefmt.cli.run import Run, running, system_context
from statefmt.cli.spellings import CommandLine, SpellingReader


def after_global_options(words: Sequence[str]) -> Sequence[str] | None:
    """Return the words from the command on; None if the value of an option is to come."""
    line = SpellingReader(program().params, of_group=True).read(words)
    return None if line.waiting else line.arguments


def next_words(words: Sequence[str], incomplete: str) -> list[NextWord]:
    """Return what can stand in place of `incomplete`, after a command and its words, or among global options."""
    is_command = bool(words) and not words[0].startswith("-")
    command = command_named(words[0]) if is_command else program()
    context = typer.Context(command, **HELP_OPTIONS)
    parameters = command.get_params(context)
    typed, name, text = words[is_command:], "", incomplete
    if incomplete.startswith("-") and "=" in incomplete:
        name, _, text = incomplete.partition("=")
    line = SpellingReader(parameters, of_group=not is_command).read([*typed, name] if name else typed)
    if line.waiting:
        return _values(next(one for one in parameters if line.waiting in one.opts), context, line, text)
    if incomplete.startswith("-") and "--" not in typed:
        return _option_names(parameters, line, incomplete)
    positional = [one for one in parameters if isinstance(one, TyperArgument)]
    free = [one for place, one in enumerate(positional) if one.nargs == -1 or place >= len(line.arguments)]
    return _values(free[0], context, line, incomplete) if free else []


def _option_names(parameters: Sequence[Any], line: CommandLine, incomplete: str) -> list[NextWord]:
    """Return the options that are not yet given, or can be repeated."""
    given = {name for name, _ in line.options}
    return [
        NextWord(name, help=one.help or "")
        for one in parameters
        if isinstance(one, TyperOption) and (one.multiple or given.isdisjoint((*one.opts, *one.secondary_opts)))
        for name in (*one.opts, *one.secondary_opts)
        if name.startswith(incomplete)
    ]


def _values(parameter: Any, context: typer.Context, line: CommandLine, typed: str) -> list[NextWord]:
    from statefmt.cli.completion.values import values

    parameters = context.command.get_params(context)
    named = {name: one.name or "" for one in parameters for name in (*one.opts, *one.secondary_opts)}
    given = {named[name]: value for name, value in line.options}
    for one, value in zip((one for one in parameters if isinstance(one, TyperArgument)), line.arguments, strict=False):
        if one.nargs == -1:
            break
        given[one.name or ""] = value
    try:
        with running(Run(system_context())):
            found = values(parameter, given, typed)
    except (typer.TyperException, StatetoolError, OSError, ValueError, RecursionError):
        # There is no place for a message.
        return []
    # typer has the members of enumerations.
    return [NextWord(str(one.value)) for one in parameter.shell_complete(context, typed)] if found is None else found
