"""The lock of a state: a file, an item in DynamoDB, or both."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from statefmt.model.errors import StoreError
from statefmt.store.lock_info import LockInfo
from statefmt.store.remote.client import LockHeldError, UnknownOutcomeError
from statefmt.store.s3._dynamodb import LockTable
from statefmt.store.s3._lock_file import LockFile


@dataclass(frozen=True, slots=True)
class S3Locks:
    """What locks one state, in the order of locking: first the file, then the item."""

    location: str
    file: LockFile | None
    table: LockTable | None

    @property
    def _all(self) -> tuple[LockFile | LockTable, ...]:
        return tuple(lock for lock in (self.file, self.table) if lock is not None)

    def holder(self) -> LockInfo | None:
        """Return who holds any of the locks; None if nobody does."""
        for lock in self._all:
            held = lock.holder()
            if held is not None:
                return held
        return None

    def acquire(self, info: LockInfo) -> None:
        """Take all locks or none. Raises LockHeldError, UnknownOutcomeError and StoreError."""
        if self.file is not None:
            self.file.acquire(info)
        if self.table is None:
            return
        try:
            self._acquire_item(self.table, info)
        except (LockHeldError, StoreError):
            if self.file is not None:
                # The first error is the one to report.
                with suppress(StoreError):
                    self.file.remove(info.ID)
            raise

    def _acquire_item(self, table: LockTable, info: LockInfo) -> None:
        try:
            table.acquire(info)
        except UnknownOutcomeError:
            if self.file is None:
                raise
            # The holder of the file does not say whether the item is there too. A second attempt meets its own lock.
            table.acquire(info)

    def release(self, info: LockInfo) -> None:
        """Give all locks back; each is tried, even if another cannot be given back. Raises StoreError."""
        errors: list[StoreError] = []
        released = False
        for lock in self._all:
            try:
                released |= lock.release(info)
            except StoreError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        # One of two may be gone since the answer to an earlier attempt was lost.
        if not released:
            raise StoreError(f"{self.location}: the lock is gone: somebody else removed it")

    def remove(self, lock_id: str) -> LockInfo:
        """Remove the locks with this ID and return who held them. Raises StoreError if they have another ID."""
        held = [(lock, lock.holder()) for lock in self._all]
        if not held:
            raise StoreError(
                f"{self.location}: this backend does not lock: neither `use_lockfile` nor `dynamodb_table` is set"
            )
        holders = [holder for _, holder in held if holder is not None]
        if not holders:
            raise StoreError(f"{self.location}: it is not locked")
        ours = next((holder for holder in holders if lock_id == holder.ID), None)
        if ours is None:
            other = holders[0]
            raise StoreError(
                f"{self.location}: the lock has the ID {other.ID}, not {lock_id}: {other.Who} holds it since "
                f"{other.Created} ({other.Operation}); nothing was removed"
            )
        for lock, _ in held:
            lock.remove(lock_id)
        return ours
