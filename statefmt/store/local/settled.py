"""Reads a state file consistently, even during a write or after an interrupted write."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from statefmt.model.errors import LockedError, StoreError
from statefmt.store.files import path_of
from statefmt.store.local._folder import journal_name, state_of_journal
from statefmt.store.local.state_file import around, linked_file, version_of
from statefmt.store.reading import ReadReport, explained, largest_stream, read_bytes

if TYPE_CHECKING:
    from statefmt.store.protocol import LockInfo

_ATTEMPTS: Final = 20


class StateReader(Protocol):
    """The reading run: supplies its environment, and the lock information for a recovery; reports the result."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables."""

    @property
    def note(self) -> Callable[[str], None]:
        """A function that reports a sentence."""

    def lock_info(self, path: Path, operation: str) -> LockInfo:
        """Return the lock information for an operation."""


def read_settled(name: str, reader: StateReader, report: ReadReport | None = None) -> bytes:
    """Return the content of a state file before or after any write, never in the middle of one.

    Finishes or rolls back an interrupted write first. If a write is in progress, or the file is read-only, returns the
    content before the write. `reader` reports both, `report` the bytes read. Raises StoreError if the state cannot be
    read.
    """
    folder, file = os.path.split(linked_file(path_of(name)))
    journal = os.path.join(folder, journal_name(file))  # noqa: PTH118 - thousands of states may be read
    for _ in range(_ATTEMPTS):
        before = _status(name)
        if before is None:
            return read_bytes(name, report, largest=largest_stream(reader.environment))
        if _has_journal(journal, before) and (recovered := _recovered(path_of(name), reader)) is not None:
            return recovered
        data = read_bytes(name, report)
        after = _status(name)
        if after is None or version_of(after) != version_of(before):
            continue
        if not (_has_journal(journal, after) and _old_side(path_of(name)) is not None):
            return data
    raise StoreError(f"{name}: the file keeps changing; nothing was done, try again")


def _has_journal(journal: str, status: os.stat_result) -> bool:
    """Return whether a file has a journal, possibly under the name of another hard link."""
    if os.path.lexists(journal):
        return True
    return status.st_nlink > 1 and any(state_of_journal(other.name) for other in Path(journal).parent.iterdir())


def _recovered(path: Path, reader: StateReader) -> bytes | None:
    """Return the content after recovery, or the content before the write if recovery is impossible now.

    None if the write has not begun.
    """
    # Imported late: locking needs much of the standard library, and writes are rarely interrupted.
    from statefmt.store.local.transaction import open_state

    try:
        with open_state(path, reader.lock_info(path, "recovery"), reader.note, even_held=True) as state:
            return state.data
    except LockedError:
        reason = "it is being written"
    except StoreError:
        if os.access(path, os.W_OK):
            raise
        reason = "a write was interrupted, and finishing it needs write permission"
    old = _old_side(path)
    if old is not None:
        reader.note(f"{path}: {reason}; using the state before that write")
    return old


def _old_side(path: Path) -> bytes | None:
    """Return the content before a write in progress; None if there is none."""
    from statefmt.store.local.journal import written_as
    from statefmt.store.local.transaction import old_side

    with explained(path), around(path) as state:
        return old_side(written_as(state, path.stat()))


def _status(name: str) -> os.stat_result | None:
    try:
        status = os.stat(name)  # noqa: PTH116 - faster, and every command calls it
    except (OSError, ValueError):
        # ValueError: the name contains a NUL character.
        return None
    return status if stat.S_ISREG(status.st_mode) else None
