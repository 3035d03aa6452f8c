"""The files of the backend `local`: the state of a workspace, and the workspaces there are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from statefmt.model.errors import RemoteStateError, StoreError
from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.backends.types import backend_type
from statefmt.store.backends.types.local import state_file
from statefmt.store.backends.workspace import WorkspaceSource
from statefmt.store.opening import SUPPORTED, open_client
from statefmt.store.reading import reason_of
from statefmt.store.remote.connection import Connection
from statefmt.whereabouts._find import FoundBackend, FoundState, located
from statefmt.whereabouts._programs import folder_programs


def local_state(found: FoundState) -> Path:
    """Return the file of a state in the backend `local`, with the folder before it.

    Raises StoreError if `path` or `workspace_dir` is empty.
    """
    for name in found.missing:
        place = next((one.place for one in found.settings if one.name == name), found.backend.place)
        raise StoreError(f"{place}: {name} must not be empty")
    return found.backend.folder / state_file(found.values, found.backend.workspace.name)


class Workspaces(Struct, frozen=True):
    """The workspaces of a folder, `default` first, and the current one, which may not be among them yet."""

    names: tuple[str, ...]
    current: str


def listed_workspaces(
    backend: FoundBackend, environment: Mapping[str, str], connection: Connection | None = None
) -> Workspaces:
    """Return the workspaces in a backend: `default`, then the others, sorted.

    Those in the backend `local` are the folders in `workspace_dir`. To list those in another one needs a `connection`.
    Raises StoreError if they cannot be read, and RemoteStateError for backends that statetool does not support, except
    those that have only `default`. Source: OpenTofu `internal/backend/local/backend.go` (Workspaces).
    """
    if backend.type != "local":
        known = backend_type(backend.type)
        if known is not None and not known.named_workspaces:
            # Refuses another workspace, as commands that use it do.
            located(backend, environment)
            return Workspaces((DEFAULT_WORKSPACE,), backend.workspace.name)
        if backend.type not in SUPPORTED or connection is None:
            raise remote_state(backend)
        client = open_client(located(backend, environment).place, connection)
        try:
            others = sorted({*client.workspaces()} - {DEFAULT_WORKSPACE})
        finally:
            client.close()
        return Workspaces((DEFAULT_WORKSPACE, *others), backend.workspace.name)
    return Workspaces(local_workspaces(located(backend, environment)), backend.workspace.name)


def local_workspaces(found: FoundState) -> tuple[str, ...]:
    """Return the workspaces in the backend `local`: `default`, then the folders in `workspace_dir`, sorted.

    Raises StoreError if that folder cannot be read. Source: OpenTofu `internal/backend/local/backend.go` (Workspaces).
    """
    local_state(found)  # both settings are set
    folder = found.backend.folder / str(found.values["workspace_dir"])
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise StoreError(f"{folder}: {reason_of(error)}") from error
    return (DEFAULT_WORKSPACE, *(name for name in names if name != DEFAULT_WORKSPACE))


def leads_outside(found: FoundState) -> bool:
    """Return whether the file of a state in the backend `local` is outside of the folder whose state it is.

    A folder may be of a stranger, who must not decide which other file is written.
    """
    path = state_file(found.values, found.backend.workspace.name)
    return ".." in path.parts or (path.is_absolute() and not path.is_relative_to(found.backend.folder.absolute()))


def remote_state(found: FoundBackend) -> RemoteStateError:
    """Return the error for a state in another backend than `local`, which names the programs of the folder."""
    asked = found.workspace.name if found.workspace.source is WorkspaceSource.OPTION else ""
    folder = str(found.folder)
    return RemoteStateError(found.type, folder_programs(found.folder), "" if folder == "." else folder, asked)
