"""Finds the backups of a state file, which are beside it."""

from __future__ import annotations

import stat
from contextlib import suppress
from pathlib import Path

from statefmt.store.local._folder import Folder
from statefmt.store.local._names import is_backup, stamped_backup
from statefmt.store.local.state_file import StateFile, around, linked_file


def backups(path: Path) -> list[Path]:
    """Return the sorted backups of a state by statetool, OpenTofu and Terraform.

    They are regular files. The state may be missing. Returns none if its folder cannot be listed.
    """
    with suppress(OSError), around(path) as state:
        found = [(folder.path / name, folder.status(name)) for folder, name in backups_of(state)]
        return sorted(where for where, status in found if status and stat.S_ISREG(status.st_mode))
    return []


def backups_of(state: StateFile) -> list[tuple[Folder, str]]:
    """Return the names of backups beside a state and beside the symbolic link to it, of files of any kind."""
    places = {(state.folder, state.name), (state.named_in, state.path.name)}
    return [(folder, name) for folder, own in places for name in folder.names() if is_backup(name, own)]


def own_backup(path: Path, stamp: str) -> Path | None:
    """Return the path of the backup that statetool made before an edit, from its stamp; None if it has none."""
    state = linked_file(path)
    backup = stamped_backup(state.name, stamp) if stamp else ""
    return state.parent / backup if backup else None
