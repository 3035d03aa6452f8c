"""Locks a state file like OpenTofu and Terraform, detects stale locks, and holds states for long changes.

The lock is an fcntl() lock on the state file itself; a file beside it names the holder. On Linux, it belongs to the
open file description (F_OFD_SETLK), so that two edits in one process exclude each other as well; it conflicts with the
POSIX locks of OpenTofu and Terraform. Elsewhere, it is a POSIX lock. Closing any descriptor of the state file then
drops it, so all access under the lock uses the one descriptor that holds it. Sources: OpenTofu
`internal/flock/filesystem_lock_unix.go`, `internal/states/statemgr/filesystem.go` and `locker.go`.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from statefmt.model.errors import LockedError, MessagePart, StoreError, Wording
from statefmt.store.files import close
from statefmt.store.local._folder import hold_name, lock_info_name
from statefmt.store.local.recording import failing
from statefmt.store.local.state_file import StateFile, around
from statefmt.store.protocol import (
    LARGEST_LOCK_INFO,
    JointEdit,
    LockInfo,
    LockState,
    LockStatus,
    lock_json,
    read_lock_info,
)
from statefmt.store.reading import explained, reason_of
from statefmt.text import printable, shell_line

# The first and the longest wait in seconds; each wait doubles.
_FIRST_WAIT: Final = 0.05
_LONGEST_WAIT: Final = 1.0
# In characters: lock information is untrusted.
_LONGEST_WORD: Final = 200


@contextmanager
def locked(state: StateFile, descriptor: int, info: LockInfo, *, timeout: float, began: float) -> Iterator[None]:
    """Hold the lock of an open state file; `descriptor` must be open for reading and writing.

    If another process holds the lock, waits up to `timeout` seconds from the monotonic time `began`, then raises
    LockedError with the known details of the holder. Ignores lock information of a dead process.
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
            raise LockedError(*_waiting_message(state, timeout))
        time.sleep(min(wait, left))
        wait = min(2 * wait, _LONGEST_WAIT)


def _set_lock(descriptor: int, *, wanted: bool) -> bool:
    """Take or drop the lock; False if another process, or another edit in this process, holds it."""
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
                # The kernel or the file system does not support these locks.
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB if wanted else fcntl.LOCK_UN)
    except (BlockingIOError, PermissionError):
        # EAGAIN or EACCES, depending on the system.
        return False
    return True


def lock_owner(descriptor: int) -> int | None:
    """Return the number of the process that holds the lock, 0 if unknown; None if nobody else does.

    This takes no lock. A lock of this process on another open file counts on Linux only.
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
    """Return the untrusted lock information beside a state file; None if it is missing or invalid."""
    with suppress(OSError, StoreError):
        name = lock_info_name(state.path.name)
        return read_lock_info(state.named_in.read(name, LARGEST_LOCK_INFO, of_anybody=True))
    return None


def _waiting_message(state: StateFile, timeout: float) -> tuple[MessagePart, ...]:
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


def found_lock(path: Path) -> LockState:
    """Return whether a state file is locked, without locking it. Raises StoreError if it cannot be opened."""
    if not path.parent.is_dir():
        return LockState(str(path), LockStatus.FREE)
    with explained(path), around(path) as state:
        return _found(state)


def remove_left_lock(path: Path, lock_id: str) -> LockInfo | None:
    """Delete stale lock information with this ID, and return it.

    Raises LockedError if a process holds the lock, which only the process can release, and StoreError if there is no
    such lock information.
    """
    if not path.parent.is_dir():
        raise StoreError(f"{path}: it is not locked")
    with explained(path), around(path) as state, _owner_of(state) as owner:
        holder = lock_info_beside(state)
        if owner is not None:
            process = f"process {owner}" if owner else "a process"
            of = f" of {holder.Who} ({holder.Operation}, since {holder.Created})" if holder else ""
            raise LockedError(
                f"{path}: {process}{of} holds the lock. It is a lock of the operating system and ends "
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
    """Yield the process that holds the lock, 0 if its number is unknown; None if the lock is free."""
    try:
        descriptor = os.open(state.name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=state.folder.descriptor)
    except FileNotFoundError:
        yield None
        return
    try:
        yield lock_owner(descriptor)
    finally:
        close(descriptor)


_FORMAT: Final = "1.0"
# In bytes; enough for the names of all states of a change.
_LARGEST: Final = 1 << 20
# In characters: a marker may come with a folder, from anyone.
_LONGEST: Final = 200
_MOST: Final = 5


class _Marker(Struct, frozen=True):
    format_version: str
    lock: LockInfo
    edit: JointEdit


class Hold(NamedTuple):
    """A marker: the lock of the edit, None if the marker is damaged, and the change of several states."""

    lock: LockInfo | None
    edit: JointEdit


def write_hold(state: StateFile, info: LockInfo, joint: JointEdit) -> None:
    """Write the marker durably. Raises StoreError."""
    marker = _Marker(_FORMAT, info, joint)
    with failing(f"{state.path}: cannot create its marker {hold_name(state.name)}"):
        state.folder.sweep()
        state.folder.replace(hold_name(state.name), msgspec.json.format(msgspec.json.encode(marker), indent=2) + b"\n")


def remove_hold(state: StateFile) -> None:
    """Delete the marker durably, if there is one. Raises StoreError."""
    try:
        if state.folder.remove(hold_name(state.name)):
            state.folder.sync()
    except OSError as error:
        marker = state.folder.path / hold_name(state.name)
        raise StoreError(f"{marker}: cannot delete this marker ({reason_of(error)})") from error


def may_be_held(path: Path) -> bool:
    """Return whether the state at a path has a marker."""
    return os.path.lexists(path.with_name(hold_name(path.name)))


def found_hold(state: StateFile) -> Hold | None:
    """Return the marker of a state, None if there is none. Raises OSError, StoreError."""
    try:
        data = state.folder.read(hold_name(state.name), _LARGEST, of_anybody=True)
    except FileNotFoundError:
        return None
    try:
        marker = msgspec.json.decode(data, type=_Marker)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Hold(None, JointEdit("", "", ()))
    return Hold(marker.lock, marker.edit)


def refuse_held(state: StateFile, info: LockInfo | None = None, name: str = "", *, ends_hold: bool = False) -> None:
    """Raise LockedError for a marker of another edit than `info`; `name` is the name of the state.

    A damaged marker may belong to any edit: only an edit that `ends_hold`, whose journal names the state, may continue.
    Raises OSError, StoreError.
    """
    found = found_hold(state)
    if found is None or (found.lock is None and ends_hold):
        return
    if found.lock is None or info is None or found.lock.ID != info.ID:
        raise LockedError(_held_message(state, found, name or str(state.path)))


def _held_message(state: StateFile, found: Hold, name: str) -> str:
    if found.lock is None:
        path = state.folder.path / hold_name(state.name)
        return (
            f"{name}: a change of several states is unfinished, and its marker {path} is damaged; nothing was "
            "written. The command that began the change ends it: with --resume, it finishes the change, and with "
            "--abort it takes the change back, as `statetool apply --abort FILE` does for an operations file"
        )
    ending = found.edit.ending
    others = [_short(name) for name in found.edit.states[:_MOST]]
    more = f" and {len(found.edit.states) - _MOST} more" if len(found.edit.states) > _MOST else ""
    return (
        f"{name}: {_short(found.lock.Who) or 'somebody'} began a change of {', '.join(others)}{more} at "
        f"{_short(found.lock.Created)}, and it is unfinished; nothing was written. "
        f"{ending_command(ending, '--resume')} finishes it, and {ending_command(ending, '--abort')} takes it back"
        f"{f', with the journal in {_short(found.edit.home)}' if found.edit.home else ''}"
    )


def _short(text: str) -> str:
    return printable(text)[:_LONGEST]


# The commands that change several states. The words may come with a folder, from anyone.
_COMMANDS: Final = frozenset({"apply", "join", "mv", "split", "undo"})
# In characters.
_LONGEST_COMMAND: Final = 8192


def ending_command(ending: Sequence[str], option: str) -> str:
    """Return the command in backquotes; `ending` are its words without the option, such as `("apply", "x.hcl")`."""
    if not ending or ending[0] not in _COMMANDS or sum(map(len, ending)) > _LONGEST_COMMAND:
        ending = ("apply", "FILE")
    return f"`{shell_line(('statetool', ending[0], option, *ending[1:]))}`"
