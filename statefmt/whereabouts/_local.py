"""The files of the backend `local`: the state of a workspace, and the workspaces there are."""

from __future__ import annotations

import os
from pathlib import Path

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.backends.types.local import state_file
from statefmt.store.reading import reason_of
from statefmt.whereabouts._find import FoundState


def local_state(found: FoundState) -> Path:
    """Return the file of a state in the backend `local`, with the folder before it.

    Raises StoreError if `path` or `workspace_dir` is empty.
    """
    for name in found.missing:
        place = next((one.place for one in found.settings if one.name == name), found.backend.place)
        raise StoreError(f"{place}: {name} must not be empty")
    return found.backend.folder / state_file(found.values, found.backend.workspace.name)


def local_workspaces(found: FoundState) -> tuple[str, ...]:
    """Return the workspaces of the backend `local`: `default`, then the folders in `workspace_dir`, sorted.

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
