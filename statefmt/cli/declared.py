"""Commands as functions whose annotations declare their options and arguments; click parses them.

    def command(state: Annotated[str | None, Option("--state", metavar="PATH", help="The state.")] = None) -> int: ...

A parameter is required if it has no default. Its type is bool, int, str, Path, an enumeration of strings, or a list of
these, with or without None; an empty list is None if that is the default.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import click

_C = TypeVar("_C", bound=click.Command)
_TYPES: Final[Mapping[type, click.ParamType]] = {str: click.STRING, int: click.INT, bool: click.BOOL}


class Option:
    """How an option is declared: its names and its help. Without names, it has the name of the parameter.

    `panel` is the group in the help. An integer is at least `min`.
    """

    def __init__(
        self,
        *names: str,
        help: str,  # noqa: A002 - as click names it
        metavar: str | None = None,
        panel: str = "",
        show_default: bool = True,
        min: int | None = None,  # noqa: A002
        **more: Any,
    ) -> None:
        self.names, self.min, self.panel = names, min, panel
        self.given = {"help": help, "metavar": metavar, "show_default": show_default, **more}


class Positional:
    """How an argument is declared: its name and its help."""

    def __init__(self, *, metavar: str, help: str, show_default: bool = True) -> None:  # noqa: A002
        self.metavar, self.help, self.show_default = metavar, help, show_default


class PanelOption(click.Option):
    """An option in a group of the help."""

    def __init__(self, *names: str, panel: str = "", **more: Any) -> None:
        # A flag that is not given is None, too, unless it has a default.
        super().__init__(names, **{"default": None, **more})
        self.panel = panel


class HelpedArgument(click.Argument):
    """An argument with a help text."""

    def __init__(self, name: str, declared: Positional, **more: Any) -> None:
        super().__init__([name], metavar=declared.metavar, **more)
        self.help, self.show_default = declared.help, declared.show_default

    def make_metavar(self, ctx: click.Context) -> str:
        metavar = self.metavar or ""
        return metavar if self.required or metavar.startswith("[") else f"[{metavar}]"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        default = f"default: {self.default}" if self.default is not None and self.show_default else ""
        notes = "; ".join(filter(None, (default, "required" if self.required else "")))
        return self.make_metavar(ctx), f"{self.help}  [{notes}]" if notes else self.help


class _AnyPath(click.Path):
    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Leave it to the shell."""
        return []


class _Declared(NamedTuple):
    """A parameter of click, and what converts its value to the one that the function takes."""

    parameter: click.Parameter
    converted: Callable[[Any], Any]


def declared_command(function: Callable[..., Any], kind: Callable[..., _C], name: str, **more: Any) -> _C:
    """Return a command of some kind that calls the function, whose docstring is the help."""
    hints = get_type_hints(function, include_extras=True)
    signature = inspect.signature(function).parameters
    contexts = [name for name in signature if hints[name] is click.Context]
    made = {name: _declared(one, hints[name]) for name, one in signature.items() if name not in contexts}

    def call(**given: Any) -> Any:
        values = {name: made[name].converted(value) if name in made else value for name, value in given.items()}
        return function(**values, **{name: click.get_current_context() for name in contexts})

    parameters = [one.parameter for one in made.values()]
    return kind(name=name, callback=call, params=parameters, help=inspect.getdoc(function), **more)


def _declared(one: inspect.Parameter, hint: Any) -> _Declared:
    annotation, how = get_args(hint)
    required = one.default is one.empty
    default = None if required else getattr(one.default, "value", one.default)
    parts = get_args(annotation)
    main = next(part for part in parts if part is not NoneType) if NoneType in parts else annotation
    is_list = get_origin(main) is list
    type_ = get_args(main)[0] if is_list else main
    to_value = partial(_converted, type_)
    given = {"type": _click_type(type_, how), "required": required, "default": default}
    parameter: click.Parameter
    if isinstance(how, Positional):
        parameter = HelpedArgument(one.name, how, nargs=-1 if is_list else None, **given)
    else:
        option = f"--{one.name.replace('_', '-')}"
        is_flag = type_ is bool
        names = how.names or (f"{option}/--no-{option[2:]}" if is_flag else option,)
        flags = {"is_flag": True, "type": None} if is_flag else {"multiple": is_list}
        parameter = PanelOption(one.name, *names, panel=how.panel, **{**given, **flags, **how.given})
    return _Declared(parameter, partial(_listed, to_value, default) if is_list else to_value)


def _listed(converted: Callable[[Any], Any], default: object, values: tuple[Any, ...] | None) -> list[Any] | None:
    return None if values is None or (default is None and not values) else [converted(value) for value in values]


def _converted(type_: type, value: Any) -> Any:
    """Return the path or the member of an enumeration that a text names; other values stay as they are."""
    return type_(value) if value is not None and issubclass(type_, (Path, Enum)) else value


def _click_type(type_: type, how: Option | Positional) -> click.ParamType:
    if issubclass(type_, Enum):
        return click.Choice([member.value for member in type_])
    if issubclass(type_, Path):
        return _AnyPath()
    return click.IntRange(min=how.min) if isinstance(how, Option) and how.min is not None else _TYPES[type_]
