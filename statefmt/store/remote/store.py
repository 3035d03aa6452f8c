"""A state in a backend as a store: locked as OpenTofu locks it, and written only over the version that was read."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from statefmt.model.errors import LockedError, StoreError
from statefmt.pieces import Piece, joined
from statefmt.store.backends.place import StatePlace
from statefmt.store.durable import signals_held_back
from statefmt.store.lock_info import LockInfo
from statefmt.store.managed import LockState, LockStatus
from statefmt.store.protocol import HistoryEntry, Stored
from statefmt.store.remote._unlocked import refuse_unlocked_url
from statefmt.store.remote.client import LockHeldError, StateClient
from statefmt.store.remote.connection import Connection

# Seconds between two attempts to lock, as OpenTofu waits; the last one repeats.
# Source: OpenTofu `internal/states/statemgr/locker.go` (LockWithContext).
_WAITS: Final = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class LockedRemote:
    """A state in a backend while it is locked; see LockedStore."""

    client: StateClient
    stored: Stored
    lock: LockInfo | None

    def write(
        self, pieces: Sequence[Piece], expected: Hashable, *, backup: str | None, keeps_backup: bool, now: int
    ) -> str | None:
        """Write the state, after a backup."""
        self.client.write(joined(self.stored.data, pieces), expected, self.lock)
        return None

    def read_again(self) -> bytes:
        """Read the state."""
        found = self.client.read()
        return b"" if found is None else found.data

    def delete(self, expected: Hashable, *, now: int) -> str | None:
        """Delete the state."""
        self.client.delete(expected)
        return None


@dataclass(frozen=True, slots=True)
class RemoteStore:
    """One state in a backend; see Store."""

    place: StatePlace
    connection: Connection
    open_client: Callable[[StatePlace, Connection], StateClient]

    @property
    def name(self) -> str:
        """The URL of the state."""
        return self.place.location

    def read(self) -> Stored:
        """Read the content."""
        with self._client() as client:
            return _read(client)

    def found(self) -> Stored | None:
        """Read the content; None if there is no state."""
        with self._client() as client:
            return client.read()

    @contextmanager
    def locked(self, info: LockInfo, timeout: float | None) -> Iterator[LockedRemote]:
        """Lock and read the state."""
        with self._locked_client(info, timeout) as (client, lock):
            yield LockedRemote(client, _read(client), lock)

    @contextmanager
    def locked_place(self, info: LockInfo, timeout: float | None) -> Iterator[LockedRemote]:
        """Lock and read the state, if there is one; else its version is None, as for `StateClient.write`."""
        with self._locked_client(info, timeout) as (client, lock):
            yield LockedRemote(client, client.read() or Stored(b"", None), lock)

    def lock_state(self) -> LockState:
        """Ask the backend who holds the lock."""
        with self._client() as client:
            if not client.is_locking:
                return LockState(self.name, LockStatus.NONE)
            try:
                holder = client.holder()
            except NotImplementedError:
                return LockState(self.name, LockStatus.UNKNOWN)
        return LockState(self.name, LockStatus.FREE if holder is None else LockStatus.HELD, holder)

    def remove_lock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock as `force-unlock` does."""
        with self._client() as client, signals_held_back():
            return client.force_unlock(lock_id)

    def versions(self) -> Sequence[HistoryEntry]:
        """Read the history."""
        return ()

    def content(self, checksum: str) -> bytes:
        """Read a content from the history."""
        raise StoreError(f"{self.name}: the history does not have the content {checksum}")

    def tidy(self) -> None:
        """Do nothing."""

    @contextmanager
    def _locked_client(self, info: LockInfo, timeout: float | None) -> Iterator[tuple[StateClient, LockInfo | None]]:
        with self._client() as client:
            if timeout is not None and not client.is_locking:
                refuse_unlocked_url(self.place)
            if timeout is None or not client.is_locking:
                yield client, None
                return
            info = replace(info, Path=client.lock_path)
            _lock(client, info, timeout)
            try:
                yield client, info
            finally:
                with signals_held_back():
                    client.unlock(info)

    @contextmanager
    def _client(self) -> Iterator[StateClient]:
        client = self.open_client(self.place, self.connection)
        try:
            yield client
        finally:
            client.close()


def _read(client: StateClient) -> Stored:
    found = client.read()
    if found is None:
        raise StoreError(f"{client.location}: there is no state")
    return found


def _lock(client: StateClient, info: LockInfo, timeout: float) -> None:
    until = time.monotonic() + timeout
    waits = iter(_WAITS)
    wait = 0
    while True:
        try:
            client.lock(info)
            return
        except LockHeldError as error:
            wait = next(waits, wait)
            left = until - time.monotonic()
            if left <= 0:
                who = error.holder.Who if error.holder else "somebody"
                raise LockedError(
                    f"{client.location}: locked by {who} ({error.lock_id}); nothing was written"
                ) from error
            time.sleep(min(wait, left))
