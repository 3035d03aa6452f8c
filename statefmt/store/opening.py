"""Opens the clients of backends, each imported when one is opened, and the versions that a backend keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from statefmt.model.errors import StoreError
from statefmt.store.backends import RemoteName, VersionName
from statefmt.store.backends.settings import StatePlace
from statefmt.store.protocol import HistoryEntry, LockedStore, Stored
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name
from statefmt.store.remote.client import Connection, ObjectVersion, StateClient, VersionedClient
from statefmt.store.remote.store import RemoteStore

if TYPE_CHECKING:
    from statefmt.store.protocol import LockInfo


def remote_store(name: RemoteName, connection: Connection) -> RemoteStore:
    """Return a state in one of the SUPPORTED backends as a store. Raises StoreError as `open_client`."""
    return RemoteStore(name.place, connection, open_client, words=name.words, is_of_folder=name.folder is not None)


def open_client(place: StatePlace, connection: Connection) -> StateClient:
    """Return a client for a state in one of the SUPPORTED backends; it connects when it is used.

    Raises StoreError if an argument is not supported, or a package is missing.
    """
    match place.type:
        case "http":
            from statefmt.store._http import HttpClient

            return HttpClient(place, connection)
        case "pg":
            try:
                from statefmt.store.pg.client import PgClient
            except ImportError as error:
                from statefmt.installation import how_to_install

                raise StoreError(
                    f"{place.location}: states in PostgreSQL need the package psycopg: {how_to_install('pg')}"
                ) from error
            return PgClient(place, connection)
        case "s3":
            from statefmt.store.s3.client import S3Client

            return S3Client(place, connection)
    raise ValueError(place.type)


_HISTORY = "`statetool history` lists the edits that statetool made"


def kept_versions(state: RemoteName, connection: Connection) -> tuple[ObjectVersion, ...]:
    """Return the versions of a state, newest first. Raises StoreError, also if its backend keeps none."""
    with _versioned(state, connection) as client:
        return tuple(client.object_versions())


def versioned_state(name: str) -> RemoteName:
    """Return the name of a state in a backend. Raises StoreError if it is another."""
    if isinstance(name, RemoteName):
        return name
    if name == STANDARD_INPUT:
        raise StoreError("standard input has no versions; name a state in a backend")
    if isinstance(name, VersionName) or name.startswith(GIT):
        raise StoreError(f"{name}: this is a version of a state already")
    raise StoreError(
        f"{display_name(name)}: files have no versions; services keep them, as S3 does in versioned buckets. {_HISTORY}"
    )


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """A version of a state; see Store."""

    version: VersionName
    connection: Connection

    @property
    def name(self) -> str:
        """The location of the state, and the ID of the version."""
        return self.version

    def read(self) -> Stored:
        """Read the version."""
        with _versioned(self.version.state, self.connection) as client:
            return Stored(client.read_version(self.version.version_id), self.version.version_id)

    def locked(self, info: LockInfo, timeout: float | None) -> AbstractContextManager[LockedStore]:
        """Raise StoreError: a version never changes."""
        raise StoreError(f"{self.name}: an earlier version cannot be edited; `statetool undo --version` restores it")

    def versions(self) -> Sequence[HistoryEntry]:
        """Raise StoreError: a version has no edits."""
        raise StoreError(f"{self.name}: an earlier version has no history of edits")

    def content(self, checksum: str) -> bytes:
        """Raise StoreError: a version has no edits."""
        raise StoreError(f"{self.name}: an earlier version has no history of edits")

    def tidy(self) -> None:
        """Do nothing."""


def remote_content(name: RemoteName | VersionName, connection: Connection) -> RemoteStore | KeptVersion:
    """Return a state in a backend, or a version of it, as a store. Raises StoreError as `remote_store`."""
    return remote_store(name, connection) if isinstance(name, RemoteName) else KeptVersion(name, connection)


@contextmanager
def _versioned(state: RemoteName, connection: Connection) -> Iterator[VersionedClient]:
    client = open_client(state.place, connection)
    try:
        if not isinstance(client, VersionedClient):
            raise StoreError(f"{state}: the backend '{state.place.type}' keeps no versions of states. {_HISTORY}")
        yield client
    finally:
        client.close()
