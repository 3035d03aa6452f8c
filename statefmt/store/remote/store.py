"""A state in a backend as a store: locked as OpenTofu locks it, and written only over the version that was read."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.pieces import Piece
from statefmt.store.backends.place import StatePlace
from statefmt.store.durable import signals_held_back
from statefmt.store.local.edit_history import EditHistory
from statefmt.store.local.state_file import StateFile
from statefmt.store.lock_info import LockInfo
from statefmt.store.managed import LockState, LockStatus
from statefmt.store.protocol import HistoryEntry, Stored
from statefmt.store.remote._held_lock import HeldLock
from statefmt.store.remote._interruption import Interruption, interruptible
from statefmt.store.remote._unlocked import refuse_unlocked_url
from statefmt.store.remote._writing import RemoteWrite
from statefmt.store.remote.client import StateClient
from statefmt.store.remote.connection import Connection
from statefmt.store.remote.records import SETTING, RemoteRecords, is_kept
from statefmt.text.printable import printable

# Backends whose locks end with the session that holds them.
_OF_SESSIONS: Final = frozenset({"pg"})


@dataclass(slots=True)
class _Outcome:
    """Whether the state has been written since it was locked."""

    is_written: bool = False


@dataclass(frozen=True, slots=True)
class LockedRemote:
    """A state in a backend while it is locked; see LockedStore and LockedManagedStore."""

    stored: Stored
    _writing: RemoteWrite
    _outcome: _Outcome

    def write(
        self, pieces: Sequence[Piece], expected: Hashable, *, backup: str | None, keeps_backup: bool, now: int
    ) -> str | None:
        """Write the state, after a backup."""
        with signals_held_back():
            wanted = None if backup is None else Path(backup)
            kept = self._writing.write(self.stored, pieces, expected, backup=wanted, keeps_backup=keeps_backup, now=now)
            self._outcome.is_written = True
        return None if kept is None else str(kept)

    def read_again(self) -> bytes:
        """Read the state."""
        found = self._writing.client.read()
        return b"" if found is None else found.data

    def delete(self, expected: Hashable, *, now: int) -> str | None:
        """Delete the state, after a backup."""
        with signals_held_back():
            kept = self._writing.delete(self.stored, expected, now)
            self._outcome.is_written = True
        return None if kept is None else str(kept)


@dataclass(frozen=True, slots=True)
class RemoteStore:
    """One state in a backend; see Store and ManagedStore. `pause` waits for some seconds."""

    place: StatePlace
    connection: Connection
    open_client: Callable[[StatePlace, Connection], StateClient]
    pause: Callable[[float], None] = time.sleep

    @property
    def name(self) -> str:
        """The URL of the state."""
        return self.place.location

    @property
    def history(self) -> EditHistory:
        """The history on this machine."""
        return self._records.edit_history(self._changing)

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
        with self._locked(info, timeout, _read) as locked:
            yield locked

    @contextmanager
    def locked_place(self, info: LockInfo, timeout: float | None) -> Iterator[LockedRemote]:
        """Lock and read the state, if there is one; else its version is None, as for `StateClient.write`."""
        with self._locked(info, timeout, lambda client: client.read() or Stored(b"", None)) as locked:
            yield locked

    def lock_state(self) -> LockState:
        """Ask the backend who holds the lock."""
        with self._client() as client:
            if not client.is_locking:
                return LockState(self.name, LockStatus.NONE)
            try:
                holder = client.holder()
            except NotImplementedError:
                return LockState(self.name, LockStatus.UNKNOWN)
        status = LockStatus.FREE if holder is None else LockStatus.HELD
        return LockState(self.name, status, holder, ends_with_holder=self.place.type in _OF_SESSIONS)

    def remove_lock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock as `force-unlock` does."""
        with self._client() as client, signals_held_back():
            return client.force_unlock(lock_id)

    def versions(self) -> Sequence[HistoryEntry]:
        """Read the history on this machine, after finding out the outcome of an edit if that is unknown."""
        self.settle()
        return self.history.load().entries

    def content(self, checksum: str) -> bytes:
        """Read a content from the history."""
        return self.history.content(checksum)

    def tidy(self) -> None:
        """Compress contents, and delete the backups of edits that the history no longer has."""
        self._records.tidy()

    def settle(self) -> None:
        """Find out the outcome of an edit, if that is unknown, by reading the state. Raises StoreError."""
        if self._records.may_be_unsettled:
            self._records.settle(lambda: self.read().data)

    @property
    def _records(self) -> RemoteRecords:
        return RemoteRecords(self.connection.state_home, self.name, self.place.identity, self.connection.note)

    @contextmanager
    def _changing(self, _info: LockInfo) -> Iterator[StateFile]:
        self.settle()
        with self._records.opened() as state:
            yield state

    @contextmanager
    def _locked(
        self, info: LockInfo, timeout: float | None, read: Callable[[StateClient], Stored]
    ) -> Iterator[LockedRemote]:
        records = self._records if is_kept(self.connection.environment.get(SETTING, "")) else None
        outcome = _Outcome()

        def opened(client: StateClient, info: LockInfo, *, is_locked: bool) -> LockedRemote:
            stored = read(client)
            if self._records.may_be_unsettled:
                self._records.settle(lambda: read(client).data)
            writing = RemoteWrite(client, info, is_locked, records, self.connection.note, self.pause)
            return LockedRemote(stored, writing, outcome)

        with interruptible() as interruption, self._client() as client:
            info = replace(info, Path=client.lock_path)
            if timeout is None or not client.is_locking:
                self._say_unlocked(is_wanted=timeout is not None)
                yield opened(client, info, is_locked=False)
                return
            lock = HeldLock(client, info, self.connection.note, self.pause)
            try:
                lock.acquire(timeout)
                yield opened(client, info, is_locked=True)
                interruption.defer()
            except BaseException:
                interruption.defer()
                self._unlocked(lock, outcome, interruption, is_failed=True)
                raise
            self._unlocked(lock, outcome, interruption, is_failed=False)

    def _unlocked(self, lock: HeldLock, outcome: _Outcome, interruption: Interruption, *, is_failed: bool) -> None:
        """Give the lock back; say what is left, and raise StoreError with it if nothing else failed or was written."""
        try:
            left = lock.give_back()
            if left:
                written = "the state was written, but " if outcome.is_written else ""
                message = f"{printable(self.name)}: {written}{left}"
                if not (is_failed or outcome.is_written):
                    is_failed = True
                    raise StoreError(message)
                self.connection.note(message)
        finally:
            interruption.resume(is_failed=is_failed)

    def _say_unlocked(self, *, is_wanted: bool) -> None:
        """Say that nothing locks the state. Raises StoreError if its URL should say how."""
        reason = ""
        if is_wanted:
            refuse_unlocked_url(self.place)
            reason = ": the backend is not set up to lock"
        self.connection.note(
            f"{printable(self.name)}: nothing locks this state{reason}; it is written only if nobody else has written "
            "it since it was read"
        )

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
