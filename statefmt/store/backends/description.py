"""Describes a type of backend: arguments, values that may be shown, and workspaces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from statefmt.model.errors import StoreError, Wording
from statefmt.store.files import read_bounded
from statefmt.text import pattern

DEFAULT_WORKSPACE: Final = "default"
# The folder of the states of workspaces in `local`, unless `workspace_dir` names another.
WORKSPACES_FOLDER: Final = "terraform.tfstate.d"

# As in JSON: string, number, boolean, list or object; None if not set.
SettingValue: TypeAlias = "str | int | float | bool | list[SettingValue] | dict[str, SettingValue] | None"
# The values of a backend's arguments by name; arguments of nested blocks have names like `endpoints.s3`.
SettingValues: TypeAlias = Mapping[str, SettingValue]


class ArgumentKind(StrEnum):
    """The type of an argument; structured arguments are given as JSON."""

    TEXT = "text"
    NUMBER = "number"
    TRUTH = "truth"
    STRUCTURE = "structure"


class BackendArgument(Struct, frozen=True):
    """An argument of a backend.

    `environment` are the variables that set it if the configuration does not, in order of precedence. `parts` are the
    arguments of a nested block or object. A `secret` is never shown.
    """

    name: str
    environment: tuple[str, ...] = ()
    default: SettingValue = None
    secret: bool = False
    kind: ArgumentKind = ArgumentKind.TEXT
    parts: tuple[BackendArgument, ...] = ()


class BackendType(Struct, frozen=True):
    """A type of backend.

    `place` returns the location of a workspace's state as a URL, without credentials. `required` are mandatory
    arguments; `named_workspaces` says whether it supports workspaces other than `default`, and `only_default` names an
    argument that prevents them. `apart` are arguments that distinguish states of the same location.

    `locks` returns the locks of the state at a location, such as `lock file s3://…`; `lock_arguments` names the
    arguments that enable locks, "" if none are needed. A lock may end with the session that holds it. Only supported
    backends have these fields.
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
    """Return the value of an argument as a string; "" if it is not set."""
    value = values.get(name)
    return "" if value is None else str(value)


_URL: Final = pattern(r"([A-Za-z][A-Za-z0-9+.-]*://)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_HOST: Final = pattern(r"[^@:\[\]]*(?::[0-9]*)?|\[[0-9A-Fa-f:.%]*\](?::[0-9]*)?")
# Replaces a hidden part.
HIDDEN: Final = "…"


def without_credentials(text: str) -> str:
    """Remove possible credentials from a string, which may be a URL.

    The user and password, the values of the query and the fragment become `…`. So does the rest of a URL that is not
    valid, such as one with a `/` in its password.
    """
    found = _URL.fullmatch(text)
    if found is None:
        return text
    scheme, authority, path, query, fragment = found.groups()
    user, at, host = authority.rpartition("@")
    if _HOST.fullmatch(host) is None or "@" in path or "@" in user:
        return scheme + HIDDEN
    shown = scheme + (f"{HIDDEN}@" if at else "") + host + path
    if query:
        shown += "?" + "&".join(
            f"{part.partition('=')[0]}={HIDDEN}" if "=" in part else HIDDEN for part in query[1:].split("&")
        )
    return shown + (f"#{HIDDEN}" if fragment else "")


# In bytes; a name becomes part of file names.
_LARGEST_NAME: Final = 4096
# A segment of a URL's path without escapes, as Go's url.PathEscape defines it.
_NAME: Final = pattern(r"[A-Za-z0-9\-_.~$&+:=@]+")


class WorkspaceSource(StrEnum):
    """The source of the current workspace."""

    OPTION = "option"
    ENVIRONMENT = "environment"
    FILE = "file"  # `workspace select`
    URL = "url"
    DEFAULT = "default"


class WorkspaceChoice(Struct, frozen=True):
    """A workspace and its source: `place` is the option, variable, file or URL, "" for the default."""

    name: str
    source: WorkspaceSource
    place: str = ""


def chosen_workspace(data: Path, environment: Mapping[str, str], option: str | None = None) -> WorkspaceChoice:
    """Return the current workspace, from the option, TF_WORKSPACE, or the file `environment` in the data directory.

    Raises StoreError for a name that OpenTofu refuses.
    """
    if option is not None:
        choice = WorkspaceChoice(option, WorkspaceSource.OPTION, "--workspace")
    elif name := environment.get("TF_WORKSPACE"):
        choice = WorkspaceChoice(name, WorkspaceSource.ENVIRONMENT, "TF_WORKSPACE")
    elif name := _selected(data / "environment"):
        choice = WorkspaceChoice(name, WorkspaceSource.FILE, str(data / "environment"))
    else:
        return WorkspaceChoice(DEFAULT_WORKSPACE, WorkspaceSource.DEFAULT)
    if not choice.name.isprintable():
        raise StoreError(f"{choice.place}: the name of the workspace, {choice.name!r}, contains control characters")
    if not is_workspace_name(choice.name):
        raise StoreError(
            f"{choice.place}: {choice.name!r} is not the name of a workspace: it may have letters, digits and "
            "-_.~$&+:=@ only; if a file has this path, ",
            Wording("name it with --state", "pass it to statefmt.open()"),
        )
    return choice


def is_workspace_name(name: str) -> bool:
    """Return whether OpenTofu accepts a name for a workspace: it must need no escapes in a URL."""
    return _NAME.fullmatch(name) is not None and name not in (".", "..")


def _selected(path: Path) -> str:
    try:
        return read_bounded(path, _LARGEST_NAME).decode().strip()
    except (OSError, UnicodeDecodeError):
        return ""
