"""Finds the states of a source: a file, a folder, a glob, a revision in git, or states in a backend."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from statefmt.context import RunContext
from statefmt.fleet.sources._backends import states_at_url, states_of_folder
from statefmt.fleet.sources._git_tree import states_in_git
from statefmt.model.errors import RemoteStateError, StoreError
from statefmt.store.backends import RemoteName
from statefmt.store.backends.description import DEFAULT_WORKSPACE, WORKSPACES_FOLDER
from statefmt.store.backends.options import allowed_paths
from statefmt.store.reading import GIT, find_states, is_folder
from statefmt.store.remote.client import ListedState
from statefmt.whereabouts.urls import url_without_values


class SourceState(NamedTuple):
    """A state of a source: how to read it, its place, and what tells one content from the next without reading it.

    `source` is the same from any directory, and has no value that may be secret. `version` is None if only reading
    tells. `identity` may have a secret: states with the same `uri` and another one are different.
    """

    name: str
    uri: str
    source: str
    workspace: str | None
    version: str | None
    size: int
    identity: str = ""


def found_states(context: RunContext, source: str) -> Iterator[SourceState]:
    """Yield the states of a source. Raises StoreError if it cannot be listed or has none, also after some states."""
    is_empty = True
    for state in _states(context, source):
        is_empty = False
        yield state
    if is_empty:
        raise StoreError(f"{source}: no state (*.tfstate) here or below")


def _states(context: RunContext, source: str) -> Iterator[SourceState]:
    if source.startswith(GIT):
        where, states = states_in_git(source, context.environment)
        for name, blob, size in states:
            yield SourceState(name, _text(name), _text(where), None, blob, size)
    elif "://" in source:
        # Other URLs cannot have secrets.
        shown = url_without_values(source) if source[:4].lower() == "http" else source
        yield from _remote(states_at_url(context, source), shown)
    elif is_folder(source):
        yield from _folder(context, source)
    elif glob.has_magic(source) and not os.path.lexists(source):
        yield from _files(find_states([source], allowed=allowed_paths(context.backend, context.environment)), source)
    elif os.path.lexists(source):
        yield _file(source, _text(os.path.abspath(source)))  # noqa: PTH100
    else:
        # Otherwise it is a state that cannot be read, and the states of a folder that is not mounted are gone.
        raise StoreError(f"{source}: there is no such file or folder")


def _folder(context: RunContext, folder: str) -> Iterator[SourceState]:
    """Yield the files below a folder, and the states of all workspaces of its backend."""
    problem: StoreError | None = None
    try:
        files = find_states([folder], allowed=allowed_paths(context.backend, context.environment))
    except StoreError as error:
        files, problem = [], error
    yield from _files(files, folder)
    try:
        for state in _remote(states_of_folder(context, Path(folder)), _text(os.path.abspath(folder))):  # noqa: PTH100
            problem = None
            yield state
    except RemoteStateError as error:
        if not files:
            raise
        context.note(f"{error.on_command_line}; only the files below are used")
    if problem is not None:
        raise problem


def _remote(states: Iterable[tuple[RemoteName, ListedState | None]], source: str) -> Iterator[SourceState]:
    for name, listed in states:
        version, size = (None, 0) if listed is None else (listed.version, listed.size)
        yield SourceState(name, str(name), source, name.place.workspace, version, size, name.place.identity)


def _files(names: Iterable[str], source: str) -> Iterator[SourceState]:
    where = _text(os.path.abspath(source))  # noqa: PTH100 - globs are no paths
    return (_file(name, where) for name in names)


def _file(name: str, source: str) -> SourceState:
    path = Path(os.path.abspath(name))  # noqa: PTH100 - Path.resolve follows links, and the name is what users know
    uri = _text(str(path))
    above = path.parent.parent.name
    workspace = path.parent.name if above == WORKSPACES_FOLDER else DEFAULT_WORKSPACE
    try:
        status = path.stat()
    except OSError:
        # Reading it says why.
        return SourceState(name, uri, source, workspace, None, 0)
    version = f"{status.st_ino:x}-{status.st_size:x}-{status.st_mtime_ns:x}"
    return SourceState(name, uri, source, workspace, version, status.st_size)


def _text(path: str) -> str:
    """Return a path as text: a database has nothing else."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
