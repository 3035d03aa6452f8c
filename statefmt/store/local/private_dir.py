"""Opens a folder of statetool's own, which has the history and the backups of a state that is not a file.

Two processes on one machine may edit the same state at the same time, if nothing locks it. So the folder is locked
while it is changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from statefmt.model.errors import LockedError, StoreError
from statefmt.store.files import close
from statefmt.store.local._folder import STAGED_HISTORY, Folder, history_name, open_folder
from statefmt.store.local.state_file import StateFile

_LOCK: Final = "lock"
_LOCATION: Final = "location"
_LONGEST_LABEL: Final = 1 << 16
_PRIVATE: Final = 0o700
# Seconds. A write to a backend holds the lock, and may have to be tried again.
_PATIENCE: Final = 120.0
_NAP: Final = 0.05


@contextmanager
def opened_folder(base: Path, inside: Sequence[str], name: str, label: str) -> Iterator[StateFile]:
    """Create a folder in `base` unless it exists, lock it, and return the place of a state with a name in it.

    `inside` are the names on the way to the folder: each must be statetool's own and no symbolic link. New folders have
    mode 0700. The folder is for one state, which a file in it names by its `label`. Raises OSError, StoreError, and
    LockedError if another process holds the lock for long.
    """
    with ExitStack() as opened:
        owner = _made(base)
        folder = opened.enter_context(open_folder(base, owner))
        for one in inside:
            below = opened.enter_context(folder.inner(one, create=True))
            assert below is not None
            folder = below
        opened.enter_context(_locked(folder))
        _check_label(folder, label)
        yield StateFile(folder.path / name, folder, name, folder)


def may_be_unpublished(folder: Path, name: str) -> bool:
    """Return whether there may be the record of a write of unknown outcome."""
    return os.path.lexists(folder / history_name(name) / STAGED_HISTORY)


def _made(folder: Path) -> tuple[int, int]:
    """Create a folder and those above it, as far as they are missing; return the owner of what was there."""
    try:
        status = folder.stat()
    except FileNotFoundError:
        owner = _made(folder.parent)
        with suppress(FileExistsError):
            folder.mkdir(_PRIVATE)
            if owner[0] != 0 and os.geteuid() == 0:
                # Root works in the home of a user, who could not use the folder otherwise.
                os.chown(folder, *owner)
        return owner
    return status.st_uid, status.st_gid


@contextmanager
def _locked(folder: Folder) -> Iterator[None]:
    import fcntl

    if folder.status(_LOCK) is None:
        with suppress(FileExistsError):
            folder.create(_LOCK, b"")
    descriptor = folder.open(_LOCK, os.O_RDWR)
    try:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise LockedError(
                        f"{folder.path}: another statetool on this machine has been writing the same state for "
                        f"{_PATIENCE:g} seconds; nothing was written, try again"
                    ) from None
                time.sleep(_NAP)
        yield
    finally:
        # Closing the file drops the lock.
        close(descriptor)


def _check_label(folder: Folder, label: str) -> None:
    content = label.encode(errors="surrogateescape") + b"\n"
    if folder.status(_LOCATION) is None:
        folder.create(_LOCATION, content)
    elif folder.read(_LOCATION, _LONGEST_LABEL) != content:
        raise StoreError(
            f"{folder.path / _LOCATION}: this folder has the history of another state; nothing was written. Move the "
            "folder away"
        )
