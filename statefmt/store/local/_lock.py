"""The lock on a state file, taken as OpenTofu and Terraform take theirs: each keeps the others out.

It is a POSIX lock on the state file itself, and beside the file stands who holds it. Closing any descriptor of the file
drops the lock, so that everything that happens under it goes through the one descriptor that holds it.
Sources: OpenTofu `internal/flock/filesystem_lock_unix.go`, `internal/states/statemgr/filesystem.go` and `locker.go`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Final

from statefmt.model.errors import LockedError, StoreError
from statefmt.store.local._names import lock_info_name
from statefmt.store.local.state_file import StateFile
from statefmt.store.lock_info import LockInfo

# The first wait in seconds, and the longest: each is twice the one before.
_FIRST_WAIT: Final = 0.05
_LONGEST_WAIT: Final = 1.0
# Bytes of lock information, and characters of one member of it: anybody can have written it.
_LARGEST_INFO: Final = 1 << 16
_LONGEST_WORD: Final = 200


@contextmanager
def locked(state: StateFile, descriptor: int, info: LockInfo, *, timeout: float, began: float) -> Iterator[None]:
    """Hold the lock of an open state file; `descriptor` is open for reading and writing.

    Where somebody else holds it, waits up to `timeout` seconds since the monotonic time `began`. Raises LockedError,
    with what is known about the holder, where that is not enough. What a holder that died left beside the file does not
    matter: its lock is gone.
    """
    _wait_for_lock(state, descriptor, timeout, began)
    name = lock_info_name(state.path.name)
    try:
        # Others can wait without it, so that a folder in which nothing can be created is no reason to give up.
        with suppress(OSError, StoreError):
            state.named_in.note(name, json.dumps(asdict(info)).encode())
        yield
    finally:
        with suppress(OSError, StoreError):
            state.named_in.remove(name)
        # Closing the file drops the lock as well.
        with suppress(OSError):
            _set_lock(descriptor, wanted=False)


def _wait_for_lock(state: StateFile, descriptor: int, timeout: float, began: float) -> None:
    until = began + timeout
    wait = _FIRST_WAIT
    while not _set_lock(descriptor, wanted=True):
        left = until - time.monotonic()
        if left <= 0:
            raise LockedError(_message(state, timeout))
        time.sleep(min(wait, left))
        wait = min(2 * wait, _LONGEST_WAIT)


def _set_lock(descriptor: int, *, wanted: bool) -> bool:
    """Take or drop the lock; False where somebody else holds it."""
    import fcntl

    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB if wanted else fcntl.LOCK_UN)
    except (BlockingIOError, PermissionError):
        # EAGAIN or EACCES, which of them depends on the system.
        return False
    return True


def _message(state: StateFile, timeout: float) -> str:
    """Who holds the lock, since when, and what for, as far as that can be read."""
    waited = f", for more than {timeout:g} seconds" if timeout else ""
    try:
        info = json.loads(state.named_in.read(lock_info_name(state.path.name), _LARGEST_INFO, of_anybody=True))
        who, since, operation = (str(info[name])[:_LONGEST_WORD] for name in ("Who", "Created", "Operation"))
    except (OSError, StoreError, ValueError, KeyError, TypeError, RecursionError):
        holder = "another process"
    else:
        holder = f"{who} ({operation}, since {since})"
    return (
        f"{state.path}: locked by {holder}{waited}; nothing was written. Wait for it to finish, or let the command "
        "wait: --lock-timeout 60s"
    )
