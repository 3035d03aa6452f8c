"""What a backend does for one state. Each backend implements StateClient; RemoteStore does the rest."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Protocol

from statefmt.model.errors import StoreError
from statefmt.store.protocol import Stored

if TYPE_CHECKING:
    # Most commands do not lock a state.
    from statefmt.store.lock_info import LockInfo


class LockHeldError(Exception):
    """Somebody else holds the lock.

    `holder` is None if the backend does not say who. `removal` is a sentence that says how to remove the lock, if
    `force-unlock` cannot. RemoteStore waits, or raises LockedError.
    """

    def __init__(self, holder: LockInfo | None, removal: str = "") -> None:
        super().__init__(holder)
        self.holder = holder
        self.removal = removal

    @property
    def lock_id(self) -> str:
        """What `force-unlock` takes, "" if that is not known."""
        return self.holder.ID if self.holder else ""


class UnknownOutcomeError(StoreError):
    """A request was sent and its answer was lost: it may have had its effect, or may still have it.

    RemoteStore finds out by reading.
    """

    code = "unknown-outcome"


class StateClient(Protocol):
    """A connection to one state in a backend. All methods raise StoreError, with the host and without credentials.

    Requests that only read are retried by the client; those that change something only if they had no effect for sure.
    """

    @property
    def location(self) -> str:
        """The URL of the state, without credentials."""

    @property
    def lock_path(self) -> str:
        """What the backend's own lock information has as its `Path`."""

    @property
    def is_locking(self) -> bool:
        """Whether the backend is set up to lock."""

    def read(self) -> Stored | None:
        """Return the content and its version, such as an ETag; None if there is no state."""

    def lock(self, info: LockInfo) -> None:
        """Try once to lock the state. Raises LockHeldError if it is locked, and UnknownOutcomeError."""

    def holder(self) -> LockInfo | None:
        """Return who holds the lock; None if nobody does. Raises NotImplementedError if the backend cannot tell."""

    def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
        """Replace the content, on the condition that it has the `expected` version; None if there is no state yet.

        Makes sure that the service has what it confirms, in the way that the service allows. `lock` is the lock that is
        held, None without one. Raises ChangedError if the content has another version, and
        UnknownOutcomeError.
        """

    def unlock(self, info: LockInfo) -> None:
        """Give the lock back. Raises UnknownOutcomeError, and StoreError if the lock is another's by now."""

    def force_unlock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock with this ID, whoever holds it, and return who held it if that is known.

        Raises StoreError if the lock has another ID, and says who holds it.
        """

    def workspaces(self) -> Sequence[str]:
        """Return the workspaces that have a state in the backend, sorted."""

    def delete(self, expected: Hashable) -> None:
        """Delete the state with this version, and nothing newer, with its digest. Raises ChangedError."""

    def close(self) -> None:
        """Close the connection."""
