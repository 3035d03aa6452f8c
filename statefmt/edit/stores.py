"""Finds the stores and histories of states by name, and the states that a list of names stands for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from statefmt.context import RunContext
from statefmt.edit.session import state_name
from statefmt.model.errors import StoreError
from statefmt.store.backends import RemoteName, VersionName
from statefmt.store.backends.options import allowed_paths
from statefmt.store.protocol import Store, standard_input
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name, find_states, is_folder

if TYPE_CHECKING:
    from statefmt.store.local.recording import EditHistory
    from statefmt.store.local.store import LocalFile
    from statefmt.store.opening import RemoteStore
    from statefmt.store.protocol import ManagedStore


def store_at(context: RunContext, name: str) -> Store:
    """Return the store of a state: a file, a state in a backend or a version of it or, for `-`, standard input."""
    if name == STANDARD_INPUT:
        return standard_input(lambda: context.read(STANDARD_INPUT))
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


def listed_states(context: RunContext, names: Iterable[str], *, everything: bool = False) -> list[str]:
    """Return the states that names stand for, without duplicates and in the order given, to read them.

    A URL stands for one state, a folder for its state in a backend, if it has one, and for the files that
    `find_states` finds below it, as globs do. Raises StoreError as that does, and RemoteStateError if a folder has no
    files, and its backend is not supported.
    """

    found: dict[str, None] = {}
    for name in names:
        if "://" in name:
            found.update(dict.fromkeys(find_states([state_name(context, name, to_read=True)], everything=everything)))
        elif is_folder(name):
            found.update(dict.fromkeys(_of_folder(context, name, everything)))
        else:
            allowed = allowed_paths(context.backend, context.environment)
            found.update(dict.fromkeys(find_states([name], everything=everything, allowed=allowed)))
    return list(found)


def _of_folder(context: RunContext, folder: str, everything: bool) -> list[str]:
    problem: StoreError | None = None
    own = ""
    try:
        own = state_name(context, folder, to_read=True)
    except StoreError as error:
        problem = error
    is_remote = isinstance(own, RemoteName)
    try:
        allowed = allowed_paths(context.backend, context.environment)
        below = find_states([folder], everything=everything, allowed=allowed)
    except StoreError:
        if problem is not None:
            raise problem from None
        if not is_remote:
            raise
        below = []
    if problem is not None:
        context.note(f"{problem.on_command_line}; only the files below are used")
    return [own, *below] if is_remote else below
