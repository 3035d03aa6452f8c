"""Reading a state of which a write may be in progress, or may have been cut off."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from statefmt.errors import LockedError, StoreError
from statefmt.store.journal import journal_path
from statefmt.store.lock import lock_info
from statefmt.store.reading import STANDARD_INPUT, read_bytes
from statefmt.store.recovery import old_side
from statefmt.store.transaction import open_state

_ATTEMPTS: Final = 20


def read_settled(name: str) -> bytes:
    """The bytes of a state, from a path or from standard input for `-`, as they were before or are after any write.

    A write that was cut off is finished or rolled back first. While it is in progress, or where the file may not be
    written, the content before it is read. Either is told on standard error. Raises StoreError where there are no bytes
    to be had.
    """
    if name == STANDARD_INPUT or not os.path.isfile(name):  # noqa: PTH113 - Path.is_file raises for odd names
        return read_bytes(name)
    path = Path(name)
    for _ in range(_ATTEMPTS):
        before = _version(path)
        if os.path.lexists(journal_path(path)) and (recovered := _recovered(path)) is not None:
            return recovered
        data = read_bytes(name)
        if _version(path) == before and old_side(path) is None:
            return data
    raise StoreError(f"{name}: the file changes all the time; nothing was done, try again")


def _recovered(path: Path) -> bytes | None:
    """The content after what can be done about a write, else that before it; None for a write that has not begun."""
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


def _version(path: Path) -> object:
    """What changes whenever the file does."""
    try:
        status = os.stat(path)  # noqa: PTH116 - one call, on the way of every command
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
