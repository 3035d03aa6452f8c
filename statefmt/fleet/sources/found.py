"""Finds the states of a source: a file, a folder, a glob, a revision in git, or a state in a backend."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from statefmt.context import RunContext
from statefmt.edit.listed_states import listed_states
from statefmt.fleet.sources._git_tree import states_in_git
from statefmt.model.errors import StoreError
from statefmt.store.backends.remote_name import RemoteName
from statefmt.store.reading import GIT

_WORKSPACES: Final = "terraform.tfstate.d"
_DEFAULT: Final = "default"


class SourceState(NamedTuple):
    """A state of a source: how to read it, its place, and what tells one content from the next without reading it.

    `version` is None if only reading tells.
    """

    name: str
    uri: str
    source: str
    workspace: str | None
    version: str | None
    size: int


def found_states(context: RunContext, source: str) -> Iterator[SourceState]:
    """Yield the states of a source. Raises StoreError if it does not exist or has no states."""
    if source.startswith(GIT):
        for name, blob in states_in_git(source, context.environment):
            yield SourceState(name, name, source, None, blob, 0)
        return
    where = source if "://" in source else os.path.abspath(source)  # noqa: PTH100 - globs are no paths
    if "://" not in source and not glob.has_magic(source) and not os.path.lexists(source):
        # Otherwise it is a state that cannot be read, and the states of a folder that is not mounted are gone.
        raise StoreError(f"{source}: there is no such file or folder")
    for name in listed_states(context, [source]):
        if isinstance(name, RemoteName):
            yield SourceState(name, str(name), where, name.place.workspace, None, 0)
        else:
            yield _file(name, where)


def _file(name: str, source: str) -> SourceState:
    path = Path(os.path.abspath(name))  # noqa: PTH100 - Path.resolve follows links, and the name is what users know
    # A database has only text.
    uri = os.fsencode(path).decode("utf-8", "backslashreplace")
    above = path.parent.parent.name
    workspace = path.parent.name if above == _WORKSPACES else _DEFAULT
    try:
        status = path.stat()
    except OSError:
        # Reading it says why.
        return SourceState(name, uri, source, workspace, None, 0)
    version = f"{status.st_ino:x}-{status.st_size:x}-{status.st_mtime_ns:x}"
    return SourceState(name, uri, source, workspace, version, status.st_size)
