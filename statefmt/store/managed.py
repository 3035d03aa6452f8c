"""Stores that keep a state between runs: they can be empty, be locked by others, and give a state up."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import JointEdit, LockedStore, Store, Stored


class LockStatus(StrEnum):
    """Whether a state is locked."""

    FREE = "free"
    HELD = "held"
    LEFT = "left"  # nothing is locked, but a process that ended left its lock information behind
    UNKNOWN = "unknown"  # the backend cannot be asked
    NONE = "none"  # the backend is not set up to lock


class LockState(Struct, frozen=True):
    """Whether the state with this name is locked, and by whom, as far as that is known.

    `holder` is what the holder wrote, which may be false or hostile. `process` is the number of the process that holds
    the lock of a local file, 0 if unknown. `lock_id` is what removes the lock, "" if unknown. A lock that
    `ends_with_holder` is never left behind, and cannot be removed. `change` is the change of several states that holds
    the state until it has ended, also after its process.
    """

    name: str
    status: LockStatus
    holder: LockInfo | None = None
    process: int = 0
    ends_with_holder: bool = False
    change: JointEdit | None = None

    @property
    def lock_id(self) -> str:
        """The ID of the lock."""
        return "" if self.holder is None else self.holder.ID


class LockedManagedStore(LockedStore, Protocol):
    """A store that keeps a state, while it is locked. Without a state, `stored` is empty, and `write` creates one."""

    def renewed(self) -> LockedManagedStore:
        """Read the state again under the same lock, and return its store. Without a state, `stored` has b"".

        A store writes once; to write again takes this. Raises StoreError.
        """

    def hold(self, joint: JointEdit) -> LockedManagedStore:
        """Keep edits out until `release`, also after this process has ended, if the store can. Raises StoreError.

        Returns the store, whose history names the joint edit in what is written. A lock in a backend is not given back;
        a file gets a marker beside it. Both let an edit in whose LockInfo has the same ID.
        """

    def release(self) -> None:
        """End `hold`. Raises StoreError."""

    def discard(self, expected: Hashable) -> None:
        """Delete the state without a backup, if it still has the `expected` version: this edit has created it.

        A file that is locked for a new state is deleted, too, and so is the record of the creation. Raises StoreError
        and leaves the state as it is.
        """

    def delete(self, expected: Hashable, *, now: int) -> str | None:
        """Delete the state if it still has the `expected` version; `now` is in Unix seconds.

        Returns where it is kept as a backup, or None. Raises StoreError and leaves the state as it is.
        """


class ManagedStore(Store, Protocol):
    """A store that keeps a state, or has room for one."""

    def found(self) -> Stored | None:
        """Read the content without a lock; None if there is no state. Raises StoreError."""

    def locked(self, info: LockInfo, timeout: float | None) -> AbstractContextManager[LockedManagedStore]:
        """Lock and read the state; see Store."""

    def locked_place(
        self, info: LockInfo, timeout: float | None, *, ends_hold: bool = False
    ) -> AbstractContextManager[LockedManagedStore]:
        """Like locked(), but also without a state; with `ends_hold`, also if the marker of the change is damaged."""

    def lock_state(self) -> LockState:
        """Return whether the state is locked, without locking it. Raises StoreError."""

    def remove_lock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock with this ID, whoever holds it, and return who held it, if that is known.

        Raises StoreError if there is no such lock, or if it cannot be removed.
        """
