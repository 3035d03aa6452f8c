"""Lets commands share groups of options, each behind one parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, get_type_hints

R = TypeVar("R")
# What an example does, and its command line.
Examples: TypeAlias = Sequence[tuple[str, str]]


class Declared(NamedTuple):
    """A command as its file declares it."""

    function: Callable[..., int]
    # Shown in its help.
    examples: Examples
    # Whether people read its output, so that a long one goes to the pager.
    paged: bool
    # Whether it reads states, and so takes the options about encryption.
    decrypts: bool
    # Whether it opens states, and so takes the options about backends.
    connects: bool


def declared(
    *, examples: Examples, paged: bool, decrypts: bool, connects: bool
) -> Callable[[Callable[..., int]], Declared]:
    """Declare a command, which is found by the name of its function: `mv_command`. Its options are its parameters.

    Nothing has a default, so that no new command misses the pager or the options of states by oversight.
    """
    return lambda function: Declared(function, examples, paged, decrypts, connects)


def takes(**groups: Callable[..., object]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Replace parameters of a command by groups of options.

    `groups` maps each parameter to the function that takes the options and returns the parameter's value. If the
    command has an option of the same name itself, the function uses its default. Options are read from the signature
    and their meaning from the annotations, so both are assembled here.
    """

    def decorate(command: Callable[..., R]) -> Callable[..., R]:
        own = inspect.signature(command).parameters
        made = {name: options_of(groups[name], own) for name in own if name in groups}
        plain = [name for name in own if name not in made]

        def taking(**given: Any) -> R:
            # A nested group is called without the options that its command has itself.
            arguments = {name: given[name] for name in plain if name in given}
            for name, options in made.items():
                arguments[name] = groups[name](**{option.name: given[option.name] for option in options})
            return command(**arguments)

        hints = get_type_hints(command, include_extras=True)
        return with_options(
            taking,
            [option for name, one in own.items() for option in made.get(name) or [_keyword(one, hints)]],
            command,
        )

    return decorate


def options_of(function: Callable[..., object], but: Container[str] = ()) -> list[inspect.Parameter]:
    """Return the options that a function takes, except some, with their annotations."""
    hints = get_type_hints(function, include_extras=True)
    return [_keyword(one, hints) for name, one in inspect.signature(function).parameters.items() if name not in but]


def with_options(
    taking: Callable[..., R], options: list[inspect.Parameter], command: Callable[..., R]
) -> Callable[..., R]:
    """Give a function that takes keywords a signature with these options, and the docstring of a command."""
    vars(taking)["__signature__"] = inspect.Signature(options)
    taking.__annotations__ = {one.name: one.annotation for one in options}
    taking.__doc__ = command.__doc__
    return taking


def _keyword(one: inspect.Parameter, hints: dict[str, Any]) -> inspect.Parameter:
    return one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name])
