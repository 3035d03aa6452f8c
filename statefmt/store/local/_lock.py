"""Locks a state file in the same way as OpenTofu and Terraform, so that each excludes the others.

The lock is one of fcntl() on the state file itself; a file beside it names the holder. On Linux, it belongs to the open
file description (F_OFD_SETLK), so that two edits in one process exclude each other as well; it conflicts with the POSIX
locks of OpenTofu and Terraform. Elsewhere, it is a POSIX lock. Closing any descriptor of the state file then drops it,
so all access under the lock uses the one descriptor that holds it.
Sources: OpenTofu `internal/flock/filesystem_lock_unix.go`, `internal/states/statemgr/filesystem.go` and `locker.go`.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from statefmt.model.errors import LockedError, StoreError
from statefmt.model.wording import MessagePart, Wording
from statefmt.store.local._names import lock_info_name
from statefmt.store.local.state_file import StateFile
from statefmt.store.lock_info import LARGEST_LOCK_INFO, LockInfo, lock_json, read_lock_info

# The first and the longest wait in seconds; each wait is twice the one before.
_FIRST_WAIT: Final = 0.05
_LONGEST_WAIT: Final = 1.0
# In characters: lock information is untrusted.
_LONGEST_WORD: Final = 200


@contextmanager
def locked(state: StateFile, descriptor: int, info: LockInfo, *, timeout: float, began: float) -> Iterator[None]:
    """Hold the lock of an open state file; `descriptor` must be open for reading and writing.

    If another process holds the lock, waits up to `timeout` seconds from the monotonic time `began`, then raises
    LockedError with what is known about the holder. Ignores lock information that a dead process left behind.
    """
    _wait_for_lock(state, descriptor, timeout, began)
    name = lock_info_name(state.path.name)
    try:
        # Lock information is optional: a read-only folder must not prevent locking.
        with suppress(OSError, StoreError):
            state.named_in.note(name, lock_json(info))
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
            raise LockedError(*_message(state, timeout))
        time.sleep(min(wait, left))
        wait = min(2 * wait, _LONGEST_WAIT)


def _set_lock(descriptor: int, *, wanted: bool) -> bool:
    """Take or drop the lock; False if another process, or another edit in this one, holds it."""
    import fcntl

    try:
        if sys.platform == "linux":
            # struct flock: type, whence, start, length (0 is the whole file), process (0 for these locks).
            kind = fcntl.F_WRLCK if wanted else fcntl.F_UNLCK
            try:
                fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack("hhqqi", kind, os.SEEK_SET, 0, 0, 0))
                return True
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                # The kernel or the file system does not have them.
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB if wanted else fcntl.LOCK_UN)
    except (BlockingIOError, PermissionError):
        # EAGAIN or EACCES, depending on the system.
        return False
    return True


def lock_owner(descriptor: int) -> int | None:
    """Return the number of the process that holds the lock, 0 if unknown; None if nobody else does.

    This takes no lock. A lock of this process's own, if it belongs to another open file, counts on Linux only.
    """
    import fcntl

    if sys.platform == "linux":
        # struct flock, as above.
        asked = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        try:
            found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            found = fcntl.fcntl(descriptor, fcntl.F_GETLK, asked)
        kind, _, _, _, process = struct.unpack("hhqqi", found)
    else:
        # macOS and BSD: start, length, process, type, whence.
        asked = struct.pack("qqihh", 0, 0, 0, fcntl.F_WRLCK, os.SEEK_SET)
        _, _, process, kind, _ = struct.unpack("qqihh", fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
    # A lock that belongs to an open file has the process -1.
    return None if kind == fcntl.F_UNLCK else max(process, 0)


def lock_info_beside(state: StateFile) -> LockInfo | None:
    """Return the lock information beside a state file, which is untrusted; None if there is none, or no valid one."""
    with suppress(OSError, StoreError):
        name = lock_info_name(state.path.name)
        return read_lock_info(state.named_in.read(name, LARGEST_LOCK_INFO, of_anybody=True))
    return None


def _message(state: StateFile, timeout: float) -> tuple[MessagePart, ...]:
    waited = f", for more than {timeout:g} seconds" if timeout else ""
    info = lock_info_beside(state)
    known = (info.Who, info.Operation, info.Created) if info else ("",)
    if all(known):
        who, operation, since = (word[:_LONGEST_WORD] for word in known)
        holder = f"{who} ({operation}, since {since})"
    else:
        holder = "another process"
    return (
        f"{state.path}: locked by {holder}{waited}; nothing was written. Wait for it to finish, or ",
        Wording("let the command wait: --lock-timeout 60s", "wait here: lock_timeout=60"),
    )
