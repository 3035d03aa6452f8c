"""Reading a state of which a write may be in progress, or may have been cut off."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Final

from statefmt.errors import LockedError, StoreError
from statefmt.store.journal import journal_name
from statefmt.store.linked import linked_file
from statefmt.store.reading import STANDARD_INPUT, read_bytes

_ATTEMPTS: Final = 20


def read_settled(name: str) -> bytes:
    """The bytes of a state, from a path or from standard input for `-`, as they were before or are after any write.

    A write that was cut off is finished or rolled back first. While it is in progress, or where the file may not be
    written, the content before it is read. Either is told on standard error. Raises StoreError where there are no bytes
    to be had.
    """
    if name == STANDARD_INPUT:
        return read_bytes(name)
    folder, file = os.path.split(linked_file(Path(name)))
    journal = os.path.join(folder, journal_name(file))  # noqa: PTH118 - thousands of states may be read
    for _ in range(_ATTEMPTS):
        before = _version(name)
        if before is None:
            return read_bytes(name)
        if os.path.lexists(journal) and (recovered := _recovered(Path(name))) is not None:
            return recovered
        data = read_bytes(name)
        if _version(name) == before and not (os.path.lexists(journal) and _is_being_written(Path(name))):
            return data
    raise StoreError(f"{name}: the file changes all the time; nothing was done, try again")


def _is_being_written(path: Path) -> bool:
    """Whether a journal is that of a write that has begun."""
    from statefmt.store.recovery import old_side

    return old_side(path) is not None


def _recovered(path: Path) -> bytes | None:
    """The content after what can be done about a write, else that before it; None for a write that has not begun."""
    # Imported where it is needed: a lock takes a good part of the standard library, and a write is rarely cut off.
    from statefmt.store.lock import lock_info
    from statefmt.store.recovery import old_side
    from statefmt.store.transaction import open_state

    try:
        with open_state(path, lock_info(path, "recovery")) as state:
            if state.recovered:
                print(f"statetool: {state.recovered}", file=sys.stderr)
            return state.data
    except LockedError:
        reason = "it is being written at this moment"
    except StoreError:
        if os.access(path, os.W_OK):
            raise
        reason = "a write of it was cut off, which can be finished by somebody who may write it"
    old = old_side(path)
    if old is not None:
        print(f"statetool: {path}: {reason}; this is the state before", file=sys.stderr)
    return old


def _version(name: str) -> object:
    """What changes whenever a regular file does; None where there is no such file."""
    try:
        status = os.stat(name)  # noqa: PTH116 - one call, on the way of every command
    except (OSError, ValueError):
        # ValueError: a name with a null character in it.
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino) if stat.S_ISREG(status.st_mode) else None
