"""Opens states in backends as stores, and versions of them; imports each client on first use."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from statefmt.model.errors import MissingStateError, StoreError
from statefmt.store.backends import RemoteName, VersionName
from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.backends.settings import StatePlace
from statefmt.store.backends.types import backend_type
from statefmt.store.protocol import HistoryEntry, LockState, LockStatus, ReadOnlyStore, Stored
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name
from statefmt.store.remote.client import Connection, ObjectVersion, StateClient, VersionedClient
from statefmt.text import shell_word

if TYPE_CHECKING:
    from statefmt.store.local.recording import EditHistory
    from statefmt.store.local.state_file import StateFile
    from statefmt.store.protocol import LockInfo
    from statefmt.store.remote.editing import LockedRemote, RemoteEdit
    from statefmt.store.remote.records import RemoteRecords


def remote_store(name: RemoteName, connection: Connection) -> RemoteStore:
    """Return a state in one of the SUPPORTED backends as a store. Raises StoreError like `open_client`."""
    return RemoteStore(name.place, connection, open_client, words=name.words, is_of_folder=name.folder is not None)


def open_client(place: StatePlace, connection: Connection) -> StateClient:
    """Return a client for a state in one of the SUPPORTED backends; it connects on first use.

    Raises StoreError if an argument is not supported, or a package is missing.
    """
    match place.type:
        case "http":
            from statefmt.store._http import HttpClient

            return HttpClient(place, connection)
        case "pg":
            try:
                from statefmt.store.pg import PgClient
            except ImportError as error:
                from statefmt.installation import how_to_install

                raise StoreError(
                    f"{place.location}: states in PostgreSQL need the package psycopg: {how_to_install('pg')}"
                ) from error
            return PgClient(place, connection)
        case "s3":
            from statefmt.store.s3 import S3Client

            return S3Client(place, connection)
    raise ValueError(place.type)


_HISTORY = "`statetool history` lists the edits that statetool made"


class NoVersionsError(StoreError):
    """The backend of a state keeps no versions."""


def kept_versions(state: RemoteName, connection: Connection) -> tuple[ObjectVersion, ...]:
    """Return the versions of a state, newest first. Raises StoreError, also if its backend keeps no versions."""
    with _versioned(state, connection) as client:
        return tuple(client.object_versions())


def versioned_state(name: str) -> RemoteName:
    """Return the name of a state in a backend. Raises StoreError for other names."""
    if isinstance(name, RemoteName):
        return name
    if name == STANDARD_INPUT:
        raise StoreError("standard input has no versions; name a state in a backend")
    if isinstance(name, VersionName) or name.startswith(GIT):
        raise StoreError(f"{name}: this is a version of a state already")
    raise StoreError(
        f"{display_name(name)}: files have no versions; services keep them, as S3 does in versioned buckets. {_HISTORY}"
    )


def remote_content(name: RemoteName | VersionName, connection: Connection) -> RemoteStore | ReadOnlyStore:
    """Return a state in a backend, or a version of it, as a store. Raises StoreError like `remote_store`."""
    if isinstance(name, RemoteName):
        return remote_store(name, connection)

    def read() -> Stored:
        with _versioned(name.state, connection) as client:
            return Stored(client.read_version(name.version_id), name.version_id)

    return ReadOnlyStore(
        name,
        read,
        f"{name}: an earlier version cannot be edited; `statetool undo --version` restores it",
        f"{name}: an earlier version has no history of edits",
    )


@contextmanager
def _versioned(state: RemoteName, connection: Connection) -> Iterator[VersionedClient]:
    client = open_client(state.place, connection)
    try:
        if not isinstance(client, VersionedClient):
            raise NoVersionsError(f"{state}: the backend '{state.place.type}' keeps no versions of states. {_HISTORY}")
        yield client
    finally:
        client.close()


@dataclass(frozen=True, slots=True)
class RemoteStore:
    """One state in a backend; see Store and ManagedStore.

    `pause` waits for some seconds; `words` name the state in a command, as in RemoteName. `is_of_folder` unless a URL
    names it.
    """

    place: StatePlace
    connection: Connection
    open_client: Callable[[StatePlace, Connection], StateClient]
    pause: Callable[[float], None] = time.sleep
    words: tuple[str, ...] = ()
    is_of_folder: bool = False

    @property
    def name(self) -> str:
        return self.place.location

    @property
    def history(self) -> EditHistory:
        """The history on this machine."""
        return self._records.edit_history(self._changing)

    def read(self) -> Stored:
        with self._client() as client:
            return self._read(client)

    def found(self) -> Stored | None:
        with self._client() as client:
            return client.read()

    @contextmanager
    def locked(self, info: LockInfo, timeout: float | None) -> Iterator[LockedRemote]:
        with self._client() as client, self._edit.locked(client, info, timeout, lambda: self._read(client)) as locked:
            yield locked

    @contextmanager
    def locked_place(self, info: LockInfo, timeout: float | None, *, ends_hold: bool = False) -> Iterator[LockedRemote]:
        """Lock and read the state; without a state, the version is None, as for `StateClient.write`."""

        def read() -> Stored:
            return client.read() or Stored(b"", None)

        locking = self._edit.locked
        with self._client() as client, locking(client, info, timeout, read, ends_hold=ends_hold) as locked:
            yield locked

    def lock_state(self) -> LockState:
        """Ask the backend for the holder of the lock."""
        hold = self._records.held()
        with self._client() as client:
            try:
                holder = client.holder() if client.is_locking else None
                status = LockStatus.NONE if not client.is_locking else LockStatus.HELD if holder else LockStatus.FREE
            except NotImplementedError:
                holder, status = None, LockStatus.UNKNOWN
        if hold is not None:
            return LockState(self.name, LockStatus.HELD, holder or hold.lock, change=hold.edit)
        ends_with_holder = status is LockStatus.HELD and self._lock_ends_with_session
        return LockState(self.name, status, holder, ends_with_holder=ends_with_holder)

    def remove_lock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock, like `force-unlock`."""
        from statefmt.store.remote.interruption import interruptible

        with self._client() as client, interruptible() as interruption, interruption.deferred():
            return client.force_unlock(lock_id)

    def versions(self) -> Sequence[HistoryEntry]:
        """Read the history on this machine, after resolving an edit of unknown outcome."""
        self.settle()
        return self.history.load().entries

    def content(self, checksum: str) -> bytes:
        return self.history.content(checksum)

    def tidy(self) -> None:
        """Compress contents, and delete the backups of edits that are no longer in the history."""
        self._records.tidy()

    def settle(self) -> None:
        """Resolve an edit of unknown outcome by reading the state. Raises StoreError."""
        if self._records.may_be_unsettled:
            self._records.settle(lambda: self.read().data)

    @property
    def _records(self) -> RemoteRecords:
        from statefmt.store.remote.records import RemoteRecords

        return RemoteRecords(self.connection.state_home, self.name, self.place.identity, self.connection.note)

    @property
    def _edit(self) -> RemoteEdit:
        from statefmt.store.remote.editing import RemoteEdit

        ends = self._lock_ends_with_session
        return RemoteEdit(self.place, self.connection, self._records, self.pause, self.words, ends)

    @property
    def _lock_ends_with_session(self) -> bool:
        backend = backend_type(self.place.type)
        return backend is not None and backend.lock_ends_with_session

    @contextmanager
    def _changing(self, info: LockInfo) -> Iterator[StateFile]:
        self._records.refuse_held(info)
        self.settle()
        with self._records.opened() as state:
            yield state

    @contextmanager
    def _client(self) -> Iterator[StateClient]:
        client = self.open_client(self.place, self.connection)
        try:
            yield client
        finally:
            client.close()

    def _read(self, client: StateClient) -> Stored:
        found = client.read()
        if found is not None:
            return found
        missing = f"{client.location}: there is no state"
        workspace = self.place.workspace
        if workspace == DEFAULT_WORKSPACE or not self.is_of_folder:
            raise MissingStateError(missing)
        from statefmt.store.remote.held_lock import suggested_command

        listing = suggested_command(("workspaces",), self.words, all_workspaces=True)
        raise MissingStateError(
            f"{missing} in the workspace {shell_word(workspace)}; {listing} lists those that have one"
        )
