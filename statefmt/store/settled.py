"""Reading a state of which a write may be in progress, or may have been cut off."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Final

from statefmt.errors import LockedError, StoreError
from statefmt.store.journal import journal_name
from statefmt.store.reading import STANDARD_INPUT, read_bytes

_ATTEMPTS: Final = 20


def read_settled(name: str) -> bytes:
    """The bytes of a state, from a path or from standard input for `-`, as they were before or are after any write.

    A write that was cut off is finished or rolled back first, which is told on standard error. While it is in
    progress, or where the file may not be written, the content before it is read. Raises StoreError where there are no
    bytes to be had.
    """
    if name == STANDARD_INPUT:
        return read_bytes(name)
    folder, file = os.path.split(name)
    journal = os.path.join(folder, journal_name(file))  # noqa: PTH118 - thousands of states may be read
    for _ in range(_ATTEMPTS):
        before = _version(name)
        if before is None:
            return read_bytes(name)
        if os.path.lexists(journal):
            return _recovered(Path(name))
        data = read_bytes(name)
        if _version(name) == before and not os.path.lexists(journal):
            return data
    raise StoreError(f"{name}: the file changes all the time; nothing was done, try again")


def _recovered(path: Path) -> bytes:
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
        pass
    except StoreError:
        if os.access(path, os.W_OK):
            raise
    old = old_side(path)
    return read_bytes(str(path)) if old is None else old


def _version(name: str) -> object:
    """What changes whenever a regular file does; None where there is no such file."""
    try:
        status = os.stat(name)  # noqa: PTH116 - one call, on the way of every command
    except (OSError, ValueError):
        # ValueError: a name with a null character in it.
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino) if stat.S_ISREG(status.st_mode) else None
