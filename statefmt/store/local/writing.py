"""Writing a file's bytes so that the old or the new content can always be read back in full."""

from __future__ import annotations

from pathlib import Path

from statefmt.model.errors import StoreError
from statefmt.store.durable import signals_held_back
from statefmt.store.explain import check_platform, explained
from statefmt.store.local._folder import open_folder
from statefmt.store.local.transaction import Notify, open_state
from statefmt.store.lock_info import LockInfo


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
            raise StoreError(f"{path}: the file changed while it was worked on; nothing was written, try again")
        return state.commit(new, now=now)


def create_file(path: Path, content: bytes) -> None:
    """Create a new file with mode 0600, whole or not at all. Raises StoreError where it exists already."""
    check_platform()
    with explained(path), signals_held_back(), open_folder(path.parent) as folder:
        folder.sweep()
        folder.create(path.name, content)
