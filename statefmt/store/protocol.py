"""What an edit asks of the place where a state is kept. A store knows bytes only."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    # Most runs do not lock a state.
    from statefmt.pieces import Piece
    from statefmt.store.lock_info import LockInfo


class Stored(NamedTuple):
    """The bytes in a store, and the version that tells them from what was or will be there."""

    data: bytes
    version: Hashable


class LockedStore(Protocol):
    """A store between its lock and its release."""

    @property
    def stored(self) -> Stored:
        """What the store had when it was locked."""

    def write(self, pieces: Sequence[Piece], expected: Hashable, *, backup: str | None, now: int) -> str | None:
        """Replace the content by pieces of it and new bytes, if it still has the `expected` version.

        What was there is kept first, as `backup` if that names a place; `now` is in Unix seconds. Returns where it
        was kept, None where the store keeps versions itself. Raises StoreError, with the content as it was.
        """


class HistoryEntry(Struct, frozen=True):
    """One edit. `time` is in UTC as in RFC 3339; `before` and `after` are the SHA-256 of the contents."""

    number: int
    time: str
    user: str
    command: str
    before: str
    after: str


class Store(Protocol):
    """A place with one state."""

    @property
    def name(self) -> str:
        """What users call it."""

    def read(self) -> Stored:
        """The content, without a lock. Raises StoreError."""

    def locked(self, info: LockInfo, timeout: float | None) -> AbstractContextManager[LockedStore]:
        """Lock and read the state; `timeout` is in seconds, None for no lock.

        Raises LockedError where somebody else holds the lock for longer, and StoreError.
        """

    def versions(self) -> Sequence[HistoryEntry]:
        """The edits that can be undone, oldest first. Raises StoreError."""

    def content(self, checksum: str) -> bytes:
        """The content before an edit, by its SHA-256. Raises StoreError."""

    def tidy(self) -> None:
        """Do what saves space and needs no lock."""
