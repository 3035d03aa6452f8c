"""Finds states: of the current folder and workspace, and below a folder; and names them for messages.

>>> from statefmt import locations, run_context
>>> locations.current_state(run_context(environment={"TF_WORKSPACE": "prod"}))
'terraform.tfstate.d/prod/terraform.tfstate'
>>> "samples/v4-regions.tfstate" in locations.find_states(["samples"])
True
"""

from __future__ import annotations

from statefmt._lazy import checked, lazy_imports

# Not imported from typing, which takes long to load. Type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.context import RunContext

with lazy_imports(globals()):
    from statefmt.edit.session import listed_states as listed_states
    from statefmt.store.backends import RemoteName as RemoteName, state_words as state_words
    from statefmt.store.backends.options import BackendOptions as BackendOptions
    from statefmt.store.reading import (
        GIT as GIT,
        PLAN as PLAN,
        STANDARD_INPUT as STANDARD_INPUT,
        display_name as display_name,
        find_states as find_states,
    )
    from statefmt.store.remote.client import ObjectVersion as ObjectVersion
    from statefmt.whereabouts import Workspaces as Workspaces
    from statefmt.whereabouts.find import FoundState as FoundState
    from statefmt.whereabouts.urls import url_without_values as url_without_values


@checked
def current_state(context: RunContext, folder: str | None = None, *, to_read: bool = False) -> str:
    """Return the location of the state of a folder and its workspace, by default of the current folder.

    A state in a backend has a RemoteName, also if `folder` is its URL. The name of a file, and `-`, are returned
    unchanged. The environment of the context may name the workspace in TF_WORKSPACE, and the data directory in
    TF_DATA_DIR; the backend is the one that `init` recorded, else that of the configuration. Raises StoreError if it
    cannot be found, if the location contains control characters or leads outside the folder; and RemoteStateError if
    the folder keeps its state in a backend that statetool does not support. If it is only `to_read`, a changed backend
    block is not noted.
    """
    # Imported late: a program may only need the names.
    from statefmt.edit.session import state_name

    return state_name(context, folder, to_read=to_read)


@checked
def found_state(context: RunContext, folder: str | None = None) -> FoundState:
    """Return the place of the state of a folder and its workspace, and its source, by default of the current folder.

    `folder` may be the URL of a state, too. This needs no connection. Raises StoreError if the source cannot be read,
    or is invalid.
    """
    from pathlib import Path

    from statefmt.whereabouts.find import find_state
    from statefmt.whereabouts.urls import found_at_url

    found = None if folder is None else found_at_url(folder, context.environment, context.backend)
    return found or find_state(Path(folder or ""), context.environment, context.backend)


@checked
def workspace_of(context: RunContext, state: str | None = None) -> str | None:
    """Return the workspace of the state of a folder, by default of the current one, or of a file of the backend local.

    None if the name of a file or a URL does not say. Raises StoreError as found_state() does.
    """
    from pathlib import Path

    from statefmt.store.backends.description import DEFAULT_WORKSPACE, WORKSPACES_FOLDER

    if state is None or "://" in state or (state != STANDARD_INPUT and Path(state).is_dir()):
        found = found_state(context, state).backend.workspace
        return None if state is not None and "://" in state and found.name == DEFAULT_WORKSPACE else found.name
    folder = Path(state).absolute().parent
    return folder.name if state != STANDARD_INPUT and folder.parent.name == WORKSPACES_FOLDER else None


@checked
def history_folder(context: RunContext, found: FoundState) -> str | None:
    """Return the folder on this machine with the history and the backups of a state in a backend.

    None for files, whose history is beside them, for unsupported backends, and if STATETOOL_REMOTE_HISTORY disables
    histories. Raises StoreError if that variable is not valid.
    """
    from statefmt.store.remote.records import SETTING, RemoteRecords, is_kept
    from statefmt.whereabouts import is_supported

    if found.backend.type == "local" or not is_supported(found) or found.missing:
        return None
    if not is_kept(context.environment.get(SETTING, "")):
        return None
    place, home = found.place, context.connection().state_home
    return str(RemoteRecords(home, place.location, place.identity, context.note).folder)


@checked
def workspaces(context: RunContext, folder: str | None = None, *, connect: bool = True) -> Workspaces:
    """Return the workspaces of a folder, or of the backend at a URL, and the current one.

    Raises StoreError if they cannot be found or read, and RemoteStateError if the folder keeps its states in a backend
    that statetool does not support or, unless it may `connect`, in any but `local`.
    """
    from pathlib import Path

    from statefmt.whereabouts import listed_workspaces
    from statefmt.whereabouts.find import find_backend
    from statefmt.whereabouts.urls import found_at_url

    at_url = None if folder is None else found_at_url(folder, context.environment, context.backend)
    backend = at_url.backend if at_url else find_backend(Path(folder or ""), context.environment, context.backend)
    return listed_workspaces(backend, context.environment, context.connection() if connect else None)


@checked
def kept_versions(context: RunContext, location: str | None = None) -> tuple[ObjectVersion, ...]:
    """Return the versions of a state that a service keeps, newest first, such as S3 in a versioned bucket.

    `location` is a URL, or a folder for its state, by default the current one. Only the current version is returned if
    the service keeps no others. Raises StoreError if the state is a file or in a backend that keeps no versions.
    """
    from statefmt.store.opening import kept_versions

    return kept_versions(_versioned_state(context, location), context.connection())


@checked
def version_name(context: RunContext, version_id: str, location: str | None = None) -> str:
    """Return the location of a version of a state, for `statefmt.open()`; it can only be read.

    `location` is as for `kept_versions()`. This needs no connection. Raises StoreError if the state is a file.
    """
    from statefmt.store.backends import VersionName

    return VersionName(_versioned_state(context, location), version_id)


def _versioned_state(context: RunContext, location: str | None) -> RemoteName:
    from statefmt.edit.session import state_name
    from statefmt.model.errors import RemoteStateError, StoreError
    from statefmt.store.opening import versioned_state

    try:
        return versioned_state(state_name(context, location, to_read=True))
    except RemoteStateError as error:
        # A pipe, the advice elsewhere, has no versions.
        raise StoreError(f"{error}; list the versions with a program of the service") from None
