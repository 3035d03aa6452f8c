"""The client of the backend `pg`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from statefmt.store.backends.place import StatePlace
from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import Stored
from statefmt.store.remote.connection import Connection


@dataclass(frozen=True, slots=True)
class PgClient:
    """A connection to one state; see StateClient."""

    place: StatePlace
    connection: Connection

    @property
    def location(self) -> str:
        """The URL of the state."""
        return self.place.location

    @property
    def lock_path(self) -> str:
        """The `Path` of lock information."""
        return ""

    @property
    def is_locking(self) -> bool:
        """Whether the backend is set up to lock."""
        return True

    def read(self) -> Stored | None:
        """Return the content and its version."""
        raise NotImplementedError

    def lock(self, info: LockInfo) -> None:
        """Try once to lock the state."""
        raise NotImplementedError

    def holder(self) -> LockInfo | None:
        """Return who holds the lock."""
        raise NotImplementedError

    def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
        """Replace the content."""
        raise NotImplementedError

    def unlock(self, info: LockInfo) -> None:
        """Give the lock back."""
        raise NotImplementedError

    def force_unlock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock with this ID."""
        raise NotImplementedError

    def workspaces(self) -> Sequence[str]:
        """Return the workspaces that have a state."""
        raise NotImplementedError

    def delete(self, expected: Hashable) -> None:
        """Delete the state with this version."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the connection."""
