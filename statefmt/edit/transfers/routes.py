"""Finds from where to where states are copied: one state by the names of its places, or all workspaces of a backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import Struct, structs

from statefmt.context import RunContext
from statefmt.edit.session import backend_state_name, state_name
from statefmt.edit.stores import managed_store_at
from statefmt.edit.transfers.transfer import Route
from statefmt.model.errors import StoreError
from statefmt.store.backends.description import DEFAULT_WORKSPACE, WorkspaceChoice, WorkspaceSource, is_workspace_name
from statefmt.store.backends.options import BackendOptions
from statefmt.store.reading import is_folder
from statefmt.whereabouts import listed_workspaces
from statefmt.whereabouts.find import (
    FoundBackend,
    FoundState,
    configured_backend,
    find_backend,
    initialised_backend,
    located,
)


class PlaceName(Struct, frozen=True):
    """How a user names the place of a state: a file, a folder (None for the current one), or a URL.

    Of a folder, it is the state of the `workspace`, by default of the current one.
    """

    name: str | None
    workspace: str | None = None


class BackendMove(Struct, frozen=True):
    """The move of all workspaces from a backend to another: a route for each that has a state, and the new backend."""

    source: FoundState
    target: FoundState
    routes: tuple[Route, ...]


def route(context: RunContext, source: PlaceName, target: PlaceName) -> Route:
    """Return the route of one state. Raises StoreError if a place cannot be found, and RemoteStateError."""
    makes_folders = target.name is None or is_folder(target.name)
    to_read = _name(context, source, to_read=True)
    to_write = _name(context, target, to_read=False)
    return Route(managed_store_at(context, to_read), managed_store_at(context, to_write, makes_folders=makes_folders))


def backend_move(context: RunContext, source: str | None, target: str | None, settings: Sequence[str]) -> BackendMove:
    """Return the move of all workspaces from the backend of a folder to the one that a configuration names.

    Without a target, or with the same folder, this is the move from what `init` recorded there to what the
    configuration says by now, with the `settings` of `--backend-config`. Raises StoreError if a backend cannot be
    found or cannot have one of the workspaces, and RemoteStateError if statetool does not open states there.
    """
    from_folder = Path(source or "")
    to_folder = from_folder if target is None else Path(target)
    for folder in (from_folder, to_folder):
        if not is_folder(folder):
            raise StoreError(f"{folder}: this is not a folder; name the folder of a root module")
    asked = structs.replace(context.backend or BackendOptions(), workspace=None, settings=())
    is_same = from_folder.samefile(to_folder)
    old = (initialised_backend if is_same else find_backend)(from_folder, context.environment, asked)
    new = configured_backend(to_folder, context.environment, structs.replace(asked, settings=tuple(settings)))
    routes: list[Route] = []
    for workspace in _workspaces(context, old):
        if not is_workspace_name(workspace):
            # A server, or whoever made the folder, may have any names.
            raise StoreError(f"{from_folder}: {workspace!r} is not the name of a workspace; move that state away first")
        store = managed_store_at(context, _state_of(context, old, workspace))
        if store.found() is None:
            continue
        place = managed_store_at(context, _state_of(context, new, workspace), makes_folders=True)
        routes.append(Route(store, place, workspace))
    if not routes:
        raise StoreError(f"{from_folder}: no workspace has a state in the backend {old.type!r}")
    return BackendMove(_of(context, old, DEFAULT_WORKSPACE), _of(context, new, DEFAULT_WORKSPACE), tuple(routes))


def workspace_names(context: RunContext, folder: str | None) -> tuple[str, ...]:
    """Return the names of the states of all workspaces of a folder, as state_name() returns that of one."""
    found = find_backend(Path(folder or ""), context.environment, context.backend)
    return tuple(_state_of(context, found, workspace) for workspace in _workspaces(context, found))


def _name(context: RunContext, place: PlaceName, *, to_read: bool) -> str:
    options = structs.replace(context.backend or BackendOptions(), workspace=place.workspace)
    if place.workspace is not None and place.name is not None and not is_folder(place.name):
        raise StoreError(f"{place.name}: only a folder has workspaces, and this is none")
    return state_name(replace(context, backend=options), place.name, to_read=to_read)


def _workspaces(context: RunContext, backend: FoundBackend) -> Sequence[str]:
    return listed_workspaces(backend, context.environment, context.connection()).names


def _state_of(context: RunContext, backend: FoundBackend, workspace: str) -> str:
    options = structs.replace(context.backend or BackendOptions(), workspace=workspace)
    return backend_state_name(replace(context, backend=options), _in(backend, workspace))


def _of(context: RunContext, backend: FoundBackend, workspace: str) -> FoundState:
    return located(_in(backend, workspace), context.environment)


def _in(backend: FoundBackend, workspace: str) -> FoundBackend:
    choice = WorkspaceChoice(workspace, WorkspaceSource.OPTION, backend.place or str(backend.folder))
    return structs.replace(backend, workspace=choice)
