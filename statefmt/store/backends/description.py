"""The types of backends: the arguments of each, and where it keeps the state of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

DEFAULT_WORKSPACE: Final = "default"
# The folder of the states of workspaces in `local`, unless `workspace_dir` names another.
WORKSPACES_FOLDER: Final = "terraform.tfstate.d"

# As in JSON: text, a number, a truth value, a list, or an object; None if not set.
SettingValue: TypeAlias = "str | int | float | bool | list[SettingValue] | dict[str, SettingValue] | None"
# The values of a backend's arguments by name; those of nested blocks are named like `endpoints.s3`.
SettingValues: TypeAlias = Mapping[str, SettingValue]


class ArgumentKind(StrEnum):
    """What an argument takes: anything structured is given as JSON has it."""

    TEXT = "text"
    NUMBER = "number"
    TRUTH = "truth"
    STRUCTURE = "structure"


@dataclass(frozen=True, slots=True)
class BackendArgument:
    """An argument of a backend.

    `environment` are the variables that set it where the configuration does not, in order of precedence. `parts` are
    the arguments of a nested block or object. A `secret` is never shown.
    """

    name: str
    environment: tuple[str, ...] = ()
    default: SettingValue = None
    secret: bool = False
    kind: ArgumentKind = ArgumentKind.TEXT
    parts: tuple[BackendArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class BackendType:
    """A type of backend.

    `place` returns the location of a workspace's state as a URL, without credentials. `required` are the arguments
    that it needs; `named_workspaces` says whether there can be others than `default`, and `only_default` names an
    argument with which there cannot. `apart` are arguments that tell states of one location apart.

    `locks` returns what locks the state at a location, such as `lock file s3://…`; `lock_arguments` says which
    arguments make a backend lock, "" if it needs none. A lock may end with the session that holds it. Only backends
    whose states statetool opens have them.
    """

    name: str
    arguments: tuple[BackendArgument, ...]
    place: Callable[[SettingValues, str, Mapping[str, str]], str]
    required: tuple[str, ...] = ()
    named_workspaces: bool = True
    only_default: str = ""
    apart: tuple[str, ...] = ()
    locks: Callable[[SettingValues, str], Iterable[str]] = lambda _values, _location: ()
    lock_arguments: str = ""
    lock_ends_with_session: bool = False


def text_of(values: SettingValues, name: str) -> str:
    """Return the value of an argument as text, "" if it is not set."""
    value = values.get(name)
    return "" if value is None else str(value)
