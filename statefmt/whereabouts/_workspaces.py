"""Lists the workspaces of a folder, or of a backend."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.model.wording import Wording
from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.backends.options import allowed_paths
from statefmt.store.backends.settings import SettingSource
from statefmt.store.backends.types import backend_type
from statefmt.store.opening import SUPPORTED, open_client
from statefmt.store.reading import reason_of
from statefmt.store.remote.connection import Connection
from statefmt.store.small_files import is_inside
from statefmt.text.shell import shell_word
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
        allowed = allowed_paths(connection.options if connection else None, environment)
        return Workspaces(_local_workspaces(located(backend, environment), allowed), current)
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


def _local_workspaces(found: FoundState, allowed: Sequence[str]) -> tuple[str, ...]:
    """Return the workspaces in the backend `local`: `default`, then the folders in `workspace_dir`, sorted.

    Raises StoreError if that folder cannot be read, or is outside and not `allowed`.
    Source: OpenTofu `internal/backend/local/backend.go` (Workspaces).
    """
    local_state(found)  # both settings are set
    setting = next(one for one in found.settings if one.name == "workspace_dir")
    folder = found.backend.folder / str(setting.value)
    is_own = setting.source is SettingSource.OPTION
    roots: tuple[Path | str, ...] = (found.backend.folder, *allowed)
    if not is_own and not any(is_inside(folder, root) for root in roots):
        # Names of folders elsewhere are not for a log that a stranger reads.
        raise StoreError(
            f"{folder}: workspace_dir is outside of the folder; if that is intended, ",
            Wording(
                f"use --allow-path {shell_word(os.path.realpath(folder))}",
                "put it in the allowed_paths of BackendOptions",
            ),
        )
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
