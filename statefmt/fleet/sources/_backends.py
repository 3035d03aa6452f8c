"""Lists states in backends: those below a URL, and those of all workspaces of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from statefmt.context import RunContext
from statefmt.model.errors import StoreError
from statefmt.store.backends import RemoteName
from statefmt.store.backends.description import without_credentials
from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import StatePlace
from statefmt.store.opening import SUPPORTED, open_client
from statefmt.store.remote.client import ListedState, ListingClient, StateClient
from statefmt.whereabouts import folder_name, several_at_url, url_name
from statefmt.whereabouts.find import FoundState, find_backend, located, unsupported


def states_at_url(context: RunContext, url: str) -> Iterator[tuple[RemoteName, ListedState | None]]:
    """Yield the states that a URL names: one, or all below it. Raises StoreError."""
    several = several_at_url(url, context.environment, context.backend)
    if several is None:
        one = url_name(url, context.environment, context.backend)
        if one is None:
            raise StoreError(f"{without_credentials(url)}: the scheme of this URL is not that of a backend")
        yield one, None
        return
    with _client(context, several.place) as client:
        assert isinstance(client, ListingClient)
        for found in client.states_below(several.prefix):
            yield several.named(found.place, context.backend), found


def states_of_folder(context: RunContext, folder: Path) -> Iterator[tuple[RemoteName, ListedState | None]]:
    """Yield the states of all workspaces of the backend of a folder, none if it has no backend.

    The files of the backend `local` are not among them. Raises StoreError, and RemoteStateError for a backend that is
    not supported.
    """
    found = find_backend(folder, context.environment, context.backend)
    if found.type == "local":
        return
    if found.type not in SUPPORTED:
        raise unsupported(found)
    state = located(found, context.environment)
    with _client(context, state.place) as client:
        if not isinstance(client, ListingClient):
            yield folder_name(state, context.backend), None
            return
        for one in client.workspace_states():
            yield _workspace_name(context, state, one.place), one


def _workspace_name(context: RunContext, state: FoundState, place: StatePlace) -> RemoteName:
    workspace = structs.replace(state.backend.workspace, name=place.workspace)
    backend = structs.replace(state.backend, workspace=workspace)
    state = structs.replace(state, backend=backend, location=place.location, exact=place.exact)
    return folder_name(state, structs.replace(context.backend or BackendOptions(), workspace=place.workspace))


@contextmanager
def _client(context: RunContext, place: StatePlace) -> Iterator[StateClient]:
    client = open_client(place, replace(context, progress=None).connection())
    try:
        yield client
    finally:
        client.close()
