"""Edits a state in a backend under its lock, from the lock request until the lock is given back."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import UNSET, UnsetType

from statefmt.model.errors import StoreError
from statefmt.pieces import Piece
from statefmt.store.backends.place import StatePlace
from statefmt.store.local.hold import remove_hold, write_hold
from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import JointEdit, Stored
from statefmt.store.remote._held_lock import HeldLock
from statefmt.store.remote._lock_text import LockRemoval
from statefmt.store.remote._unlocked import refuse_unlocked_url
from statefmt.store.remote._writing import RemoteWrite, WriteTerms
from statefmt.store.remote.client import StateClient
from statefmt.store.remote.connection import Connection
from statefmt.store.remote.interruption import Interruption, interruptible
from statefmt.store.remote.records import SETTING, RemoteRecords, is_kept
from statefmt.text.printable import printable


@dataclass(slots=True)
class _Outcome:
    """Whether the state has been written since it was locked, and whether its lock stays when the edit ends.

    `joint` is set if other states are edited with this one.
    """

    is_written: bool = False
    is_held: bool = False
    joint: JointEdit | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class LockedRemote:
    """A state in a backend while it is locked; see LockedStore and LockedManagedStore."""

    stored: Stored
    _writing: RemoteWrite
    _outcome: _Outcome
    _interruption: Interruption
    _read: Callable[[], Stored]

    def undisturbed(self) -> AbstractContextManager[None]:
        """Defer signals."""
        return self._interruption.deferred()

    def write(
        self,
        pieces: Sequence[Piece],
        expected: Hashable,
        *,
        backup: str | None,
        keeps_backup: bool,
        now: int,
        undoes: int | None = None,
    ) -> str | None:
        """Write the state, after a backup."""
        with self.undisturbed():
            wanted = None if backup is None else Path(backup)
            terms = WriteTerms(
                backup=wanted, keeps_backup=keeps_backup, now=now, joint=self._outcome.joint, undoes=undoes
            )
            kept = self._writing.write(self.stored, pieces, expected, terms)
            self._outcome.is_written = True
        return None if kept is None else str(kept)

    def renewed(self) -> LockedRemote:
        """Read the state, and find out the outcome of a write whose answer was lost."""
        return replace(self, stored=self._read())

    def hold(self, joint: JointEdit) -> LockedRemote:
        """Keep the lock when the edit ends, and write a marker to this machine: some locks end with the session."""
        if self._writing.records is not None:
            with self._writing.records.opened() as state:
                write_hold(state, self._writing.info, joint)
        self._outcome.is_held, self._outcome.joint = True, joint
        return self

    def release(self) -> None:
        """Give the lock back when the edit ends, and delete the marker."""
        if self._writing.records is not None:
            with self._writing.records.opened() as state:
                remove_hold(state)
        self._outcome.is_held = False

    def discard(self, expected: Hashable) -> None:
        """Delete the state, if there is one."""
        if expected is None:
            return
        with self.undisturbed():
            self._writing.discard(self.stored, expected, self._outcome.joint)
            self._outcome.is_written = True

    def delete(self, expected: Hashable, *, now: int) -> str | None:
        """Delete the state, after a backup."""
        with self.undisturbed():
            kept = self._writing.delete(self.stored, expected, now)
            self._outcome.is_written = True
        return None if kept is None else str(kept)


@dataclass(frozen=True, slots=True)
class RemoteEdit:
    """An edit of one state: where it is, what the run allows, its records, how to wait, and how to remove its lock."""

    place: StatePlace
    connection: Connection
    records: RemoteRecords
    pause: Callable[[float], None]
    removal: LockRemoval

    @contextmanager
    def locked(
        self,
        client: StateClient,
        info: LockInfo,
        timeout: float | None,
        read: Callable[[], Stored],
        *,
        ends_hold: bool = False,
    ) -> Iterator[LockedRemote]:
        """Lock the state and `read` it; unlock it at the end, whatever happens. See Store.locked."""
        kept = self.records if is_kept(self.connection.environment.get(SETTING, "")) else None
        outcome = _Outcome()
        info = replace(info, Path=client.lock_path)

        def settled() -> Stored:
            stored = read()
            if self.records.may_be_unsettled:
                self.records.settle(lambda: read().data)
            return stored

        def opened(*, is_locked: bool) -> LockedRemote:
            self.records.refuse_held(info, ends_hold=ends_hold)
            writing = RemoteWrite(client, info, is_locked, kept, self.connection.note, self.pause)
            return LockedRemote(settled(), writing, outcome, interruption, settled)

        with interruptible() as interruption:
            if timeout is None or not client.is_locking:
                self._say_unlocked(is_wanted=timeout is not None)
                yield opened(is_locked=False)
                return
            lock = HeldLock(client, info, self.connection.note, self.pause, self.removal)
            try:
                lock.acquire(timeout)
                yield opened(is_locked=True)
                interruption.defer()
            except BaseException:
                interruption.defer()
                self._unlocked(lock, outcome, interruption, is_failed=True)
                raise
            self._unlocked(lock, outcome, interruption, is_failed=False)

    def _unlocked(self, lock: HeldLock, outcome: _Outcome, interruption: Interruption, *, is_failed: bool) -> None:
        """Give the lock back; say what is left, and raise StoreError with it if nothing else failed or was written."""
        try:
            left = "" if outcome.is_held else lock.give_back()
            if left:
                written = "the state was written, but " if outcome.is_written else ""
                message = f"{printable(self.place.location)}: {written}{left}"
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
            f"{printable(self.place.location)}: nothing locks this state{reason}; it is written only if nobody else "
            "has written it since it was read"
        )
