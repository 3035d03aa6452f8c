"""The client of the backend `s3`: one state in a bucket, locked by a file, by an item in DynamoDB, or by both."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.backends.place import StatePlace
from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import Stored
from statefmt.store.remote.connection import Connection
from statefmt.store.remote.listing import ListedState
from statefmt.store.s3._objects import Objects
from statefmt.store.s3._services import Services
from statefmt.store.s3._state_object import StateObject
from statefmt.store.s3._version import ReadVersion

if TYPE_CHECKING:
    # Reading a state needs no lock.
    from statefmt.store.remote.object_version import ObjectVersion
    from statefmt.store.s3._dynamodb import LockTable
    from statefmt.store.s3._locks import S3Locks


class S3Client:
    """A connection to one state; see StateClient. It keeps what it has made, and connects when it is used."""

    def __init__(self, place: StatePlace, connection: Connection) -> None:
        self._place = place
        self._connection = connection
        self._services = Services(place, connection)

    @property
    def location(self) -> str:
        """The URL of the state."""
        return self._place.location

    @property
    def lock_path(self) -> str:
        """The `Path` of lock information: BUCKET/KEY."""
        return self._services.settings.path

    @property
    def is_locking(self) -> bool:
        """Whether the backend has a lock file or a table."""
        return self._services.settings.lock_file or bool(self._services.settings.table)

    def read(self) -> Stored | None:
        """Return the content and its version, a ReadVersion."""
        return self._state.read()

    def lock(self, info: LockInfo) -> None:
        """Try once to lock the state."""
        self._locks.acquire(info)

    def holder(self) -> LockInfo | None:
        """Return who holds the lock."""
        return self._locks.holder()

    def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
        """Replace the content."""
        self._state.write(content, _version(expected), is_locked=lock is not None)

    def unlock(self, info: LockInfo) -> None:
        """Give the lock back."""
        self._locks.release(info)

    def force_unlock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock with this ID."""
        return self._locks.remove(lock_id)

    def workspaces(self) -> Sequence[str]:
        """Return the workspaces that have a state."""
        from statefmt.store.s3._workspaces import workspace_objects

        return sorted(name for name, _ in workspace_objects(self._objects))

    def states_below(self, prefix: str) -> Iterator[ListedState]:
        """Yield the objects `*.tfstate` whose keys start with a prefix."""
        from statefmt.store.s3._workspaces import state_objects

        for found in state_objects(self._objects, prefix):
            place = self._place.moved(self._connection.environment, DEFAULT_WORKSPACE, key=found.key)
            yield ListedState(place, found.etag, found.size)

    def workspace_states(self) -> Iterator[ListedState]:
        """Yield the states of all workspaces."""
        from statefmt.store.s3._workspaces import workspace_objects

        for workspace, found in workspace_objects(self._objects):
            place = self._place.moved(self._connection.environment, workspace)
            yield ListedState(place, found.etag, found.size)

    def delete(self, expected: Hashable) -> None:
        """Delete the state with this version; in a versioned bucket, this adds a delete marker."""
        version = _version(expected)
        if version is None:
            raise ValueError(expected)
        self._state.delete(version)

    def object_versions(self) -> Sequence[ObjectVersion]:
        """Return the versions of the state, newest first; only the current one without versioning."""
        from statefmt.store.s3._object_versions import versions_of

        return versions_of(self._objects, self._services.settings.key)

    def read_version(self, version_id: str) -> bytes:
        """Return the content of a version."""
        from statefmt.store.s3._object_versions import content_of

        return content_of(self._objects, self._services.settings.key, version_id)

    def close(self) -> None:
        """Close the connections."""
        self._services.close()

    @cached_property
    def _objects(self) -> Objects:
        return Objects(self._services.settings, self._services.s3)

    @cached_property
    def _table(self) -> LockTable | None:
        settings = self._services.settings
        if not settings.table:
            return None
        from statefmt.store.s3._dynamodb import LockTable

        return LockTable(settings.table, settings.path, self._services.dynamodb)

    @cached_property
    def _locks(self) -> S3Locks:
        from statefmt.store.s3._lock_file import LockFile
        from statefmt.store.s3._locks import S3Locks

        file = LockFile(self._objects) if self._services.settings.lock_file else None
        return S3Locks(self.location, file, self._table)

    @cached_property
    def _state(self) -> StateObject:
        return StateObject(self.location, self._objects, self._table, self._connection.note)


def _version(expected: Hashable | None) -> ReadVersion | None:
    if expected is None or isinstance(expected, ReadVersion):
        return expected
    raise TypeError(expected)
