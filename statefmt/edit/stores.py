"""Finds the store and the history of a state by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.context import RunContext
from statefmt.model.errors import StoreError
from statefmt.store.backends import RemoteName, VersionName
from statefmt.store.protocol import StandardInput, Store
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name

if TYPE_CHECKING:
    from statefmt.store.local.recording import EditHistory
    from statefmt.store.local.store import LocalFile
    from statefmt.store.protocol import ManagedStore
    from statefmt.store.remote.store import RemoteStore


def store_at(context: RunContext, name: str) -> Store:
    """Return the store of a state: a file, a state in a backend or a version of it or, for `-`, standard input."""
    if name == STANDARD_INPUT:
        return StandardInput(lambda: context.read(STANDARD_INPUT))
    if isinstance(name, (RemoteName, VersionName)):
        from statefmt.store.opening import remote_content

        return remote_content(name, context.connection())
    return _kept_at(context, name)


def history_at(context: RunContext, name: str) -> EditHistory:
    """Return the history of a file, or of a state in a backend."""
    return _kept_at(context, name).history


def managed_store_at(context: RunContext, name: str, *, makes_folders: bool = False) -> ManagedStore:
    """Return the store of a state that may be missing: a file, or a state in a backend.

    With `makes_folders`, writing a new file creates its folders. Raises StoreError for standard input and git.
    """
    if name == STANDARD_INPUT or name.startswith(GIT):
        raise StoreError(f"{display_name(name)}: only a file or a state in a backend can be named here")
    return _kept_at(context, name, makes_folders=makes_folders)


def _kept_at(context: RunContext, name: str, *, makes_folders: bool = False) -> LocalFile | RemoteStore:
    # Imported here: commands that only check start faster without it.
    if isinstance(name, RemoteName):
        from statefmt.store.opening import remote_store

        return remote_store(name, context.connection())
    from statefmt.store.local.store import LocalFile

    return LocalFile(name, context, makes_folders=makes_folders)
