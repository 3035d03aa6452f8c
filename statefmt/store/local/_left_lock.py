"""Tells who holds the lock of a state file, and removes lock information that a dead process left behind.

Source: OpenTofu `internal/states/statemgr/filesystem.go` (Lock, lockInfoPath).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from statefmt.model.errors import LockedError, StoreError
from statefmt.store.durable import close
from statefmt.store.explain import explained
from statefmt.store.local._lock import lock_info_beside, lock_owner
from statefmt.store.local._names import lock_info_name
from statefmt.store.local.hold import found_hold, refuse_held
from statefmt.store.local.state_file import StateFile, around
from statefmt.store.lock_info import LockInfo
from statefmt.store.managed import LockState, LockStatus


def found_lock(path: Path) -> LockState:
    """Return whether a state file is locked, without locking it. Raises StoreError if it cannot be opened."""
    if not path.parent.is_dir():
        return LockState(str(path), LockStatus.FREE)
    with explained(path), around(path) as state:
        return _found(state)


def remove_left_lock(path: Path, lock_id: str) -> LockInfo | None:
    """Delete lock information with this ID that nobody's lock belongs to, and return it.

    Raises LockedError if a process holds the lock, which only it can give back, and StoreError if there is no such lock
    information.
    """
    if not path.parent.is_dir():
        raise StoreError(f"{path}: it is not locked")
    with explained(path), around(path) as state, _owner_of(state) as owner:
        holder = lock_info_beside(state)
        if owner is not None:
            raise LockedError(
                f"{path}: {_described(holder, owner)} holds the lock. It is a lock of the operating system and ends "
                "with that process; nothing was removed"
            )
        refuse_held(state)
        if holder is None:
            raise StoreError(f"{path}: it is not locked")
        if lock_id != holder.ID:
            raise StoreError(f"{path}: the lock has the ID {holder.ID}, not {lock_id}; nothing was removed")
        state.named_in.remove(lock_info_name(state.path.name))
        return holder


def _found(state: StateFile) -> LockState:
    with _owner_of(state) as owner:
        holder = lock_info_beside(state)
    hold = found_hold(state)
    if hold is not None:
        holder = (holder if owner is not None else None) or hold.lock
        ends = owner is not None
        return LockState(str(state.path), LockStatus.HELD, holder, owner or 0, ends_with_holder=ends, change=hold.edit)
    status = LockStatus.HELD if owner is not None else LockStatus.LEFT if holder is not None else LockStatus.FREE
    return LockState(str(state.path), status, holder, owner or 0, ends_with_holder=owner is not None)


@contextmanager
def _owner_of(state: StateFile) -> Iterator[int | None]:
    """Yield the process that holds the lock, 0 if the system does not know its number; None if nobody does."""
    try:
        descriptor = os.open(state.name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=state.folder.descriptor)
    except FileNotFoundError:
        yield None
        return
    try:
        yield lock_owner(descriptor)
    finally:
        close(descriptor)


def _described(holder: LockInfo | None, process: int) -> str:
    number = f"process {process}" if process else "a process"
    return number if holder is None else f"{number} of {holder.Who} ({holder.Operation}, since {holder.Created})"
