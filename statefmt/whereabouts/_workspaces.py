"""Lists the workspaces of a folder, or of a backend."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.backends.types import backend_type
from statefmt.store.opening import SUPPORTED, open_client
from statefmt.store.reading import reason_of
from statefmt.store.remote.connection import Connection
from statefmt.whereabouts._find import FoundBackend, FoundState, located
from statefmt.whereabouts._local import local_state
from statefmt.whereabouts._programs import unsupported


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
    current = backend.workspace.name
    if backend.type == "local":
        return Workspaces(_local_workspaces(located(backend, environment)), current)
    known = backend_type(backend.type)
    if known is not None and not known.named_workspaces:
        # Refuses another workspace, as commands that use it do.
        located(backend, environment)
        return Workspaces((DEFAULT_WORKSPACE,), current)
    if backend.type not in SUPPORTED or connection is None:
        raise unsupported(backend)
    client = open_client(located(backend, environment).place, connection)
    try:
        return Workspaces(_default_first(client.workspaces()), current)
    finally:
        client.close()


def _local_workspaces(found: FoundState) -> tuple[str, ...]:
    """Return the workspaces in the backend `local`: `default`, then the folders in `workspace_dir`, sorted.

    Raises StoreError if that folder cannot be read. Source: OpenTofu `internal/backend/local/backend.go` (Workspaces).
    """
    local_state(found)  # both settings are set
    folder = found.backend.folder / str(found.values["workspace_dir"])
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise StoreError(f"{folder}: {reason_of(error)}") from error
    return _default_first(names)


def _default_first(names: Iterable[str]) -> tuple[str, ...]:
    return (DEFAULT_WORKSPACE, *sorted({*names} - {DEFAULT_WORKSPACE}))
