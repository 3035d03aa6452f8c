"""Replacing the content of a state file as an edit does, without a state in it."""

from __future__ import annotations

from pathlib import Path

from statefmt.model.errors import StoreError
from statefmt.store.local.transaction import Notify, open_state
from statefmt.store.protocol import LockInfo, WriteTerms


def replace_content(path: Path, old: bytes, new: bytes, info: LockInfo, note: Notify, *, now: int) -> Path | None:
    """Replace a file's content in place, under its lock and after a backup; the mode and the owner stay.

    `old` is the content that was read, `now` the time in Unix seconds for the backup's name. Gives the path of
    the backup, or None where there was nothing to do. Raises StoreError, with the file as it was, where it
    changed since it was read or cannot be written.
    """
    if old == new:
        return None
    with open_state(path, info, note) as state:
        if state.data != old:
            raise StoreError(f"{path}: the file changed during the edit; nothing was written, try again")
        return state.commit(new, WriteTerms(now))
