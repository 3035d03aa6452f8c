"""Finds the workspace of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.model.wording import Wording
from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.small_files import read_bounded
from statefmt.text.pattern import pattern

# In bytes; a name is a part of file names.
_LARGEST_NAME: Final = 4096
# What a segment of a URL's path has without escapes, as Go's url.PathEscape defines it.
_NAME: Final = pattern(r"[A-Za-z0-9\-_.~$&+:=@]+")


class WorkspaceSource(StrEnum):
    """What chose the workspace."""

    OPTION = "option"
    ENVIRONMENT = "environment"
    FILE = "file"  # `workspace select`
    URL = "url"
    DEFAULT = "default"


class WorkspaceChoice(Struct, frozen=True):
    """A workspace and what chose it: `place` is the option, variable, file or URL, "" for the default."""

    name: str
    source: WorkspaceSource
    place: str = ""


def chosen_workspace(data: Path, environment: Mapping[str, str], option: str | None = None) -> WorkspaceChoice:
    """Return the workspace: that of the option, of TF_WORKSPACE, or of the file `environment` in the data directory.

    Raises StoreError if the name is not one that OpenTofu accepts.
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
    """Return whether OpenTofu accepts a name for a workspace: one that a URL has without escapes."""
    return _NAME.fullmatch(name) is not None and name not in (".", "..")


def _selected(path: Path) -> str:
    try:
        return read_bounded(path, _LARGEST_NAME).decode().strip()
    except (OSError, UnicodeDecodeError):
        return ""
