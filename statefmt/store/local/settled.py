"""Reading a state of which a write may be in progress, or may have been cut off."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from statefmt.model.errors import LockedError, StoreError
from statefmt.store.explain import explained
from statefmt.store.local._names import journal_name, state_of_journal
from statefmt.store.local.state_file import linked_file
from statefmt.store.reading import read_bytes

if TYPE_CHECKING:
    from statefmt.store.lock_info import LockInfo

_ATTEMPTS: Final = 20


class StateReader(Protocol):
    """The run that reads: it says who takes a lock for a recovery, and reports what was recovered."""

    @property
    def note(self) -> Callable[[str], None]:
        """Report a sentence."""

    def lock_info(self, path: Path, operation: str) -> LockInfo:
        """What the lock says."""


def read_settled(name: str, reader: StateReader) -> bytes:
    """The bytes of a state file as they were before or are after any write.

    A write that was cut off is finished or rolled back first. While a write is in progress, or where the file may not
    be written, the content before it is read. `reader` reports either. Raises StoreError where nothing can be read.
    """
    folder, file = os.path.split(linked_file(Path(name)))
    journal = os.path.join(folder, journal_name(file))  # noqa: PTH118 - thousands of states may be read
    for _ in range(_ATTEMPTS):
        before = _status(name)
        if before is None:
            return read_bytes(name)
        if _has_journal(journal, before) and (recovered := _recovered(Path(name), reader)) is not None:
            return recovered
        data = read_bytes(name)
        after = _status(name)
        if after is None or version_of(after) != version_of(before):
            continue
        if not (_has_journal(journal, after) and _old_side(Path(name)) is not None):
            return data
    raise StoreError(f"{name}: the file changes all the time; nothing was done, try again")


def _has_journal(journal: str, status: os.stat_result) -> bool:
    """Whether a file has a journal, perhaps under the name of another hard link."""
    if os.path.lexists(journal):
        return True
    return status.st_nlink > 1 and any(state_of_journal(other.name) for other in Path(journal).parent.iterdir())


def _recovered(path: Path, reader: StateReader) -> bytes | None:
    """The content after what can be done about a write, else that before it; None for a write that has not begun."""
    # Imported where it is needed: a lock takes a good part of the standard library, and a write is rarely cut off.
    from statefmt.store.local.transaction import open_state

    try:
        with open_state(path, reader.lock_info(path, "recovery"), reader.note) as state:
            return state.data
    except LockedError:
        reason = "it is being written at this moment"
    except StoreError:
        if os.access(path, os.W_OK):
            raise
        reason = "a write of it was cut off, which can be finished by somebody who may write it"
    old = _old_side(path)
    if old is not None:
        reader.note(f"{path}: {reason}; this is the state before")
    return old


def _old_side(path: Path) -> bytes | None:
    """The content before a write that has begun; None where none has."""
    from statefmt.store.local._recovery import old_side
    from statefmt.store.local.journal import written_as
    from statefmt.store.local.state_file import around

    with explained(path), around(path) as state:
        return old_side(written_as(state, path.stat()))


def _status(name: str) -> os.stat_result | None:
    """The status of a regular file; None where there is no such file."""
    try:
        status = os.stat(name)  # noqa: PTH116 - one call, on the way of every command
    except (OSError, ValueError):
        # ValueError: a name with a null character in it.
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def version_of(status: os.stat_result) -> tuple[int, int, int]:
    """What changes whenever a regular file does."""
    return (status.st_mtime_ns, status.st_size, status.st_ino)
