"""Deletes old edits from the history of a state, and the backups that statetool made before them.

A backup is deleted only if its name has statetool's own form, the history records that name, and the content has the
recorded checksum. So backups of OpenTofu and Terraform stay, and so do backups that the user named.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, structs

from statefmt.model.errors import StoreError
from statefmt.store.files import close
from statefmt.store.local._folder import Folder, backup_stamp, is_own_backup, stamped_backup
from statefmt.store.local.history import History, drop_contents, history_of, save_history, unneeded_contents
from statefmt.store.local.journal import checksum
from statefmt.store.local.state_file import StateFile, around, version_of
from statefmt.store.protocol import HistoryEntry
from statefmt.store.reading import explained


class OldFile(NamedTuple):
    """A file to delete. `inode` identifies it, `links` counts its names, `version` detects changes."""

    path: Path
    size: int
    inode: tuple[int, int]
    links: int
    version: tuple[int, int, int]


class Pruning(Struct, frozen=True):
    """A planned pruning: edits to delete, their contents in the history, and backups.

    `history` is the current history and `kept` the history afterwards. `changed` are recorded backups with another
    content, `unrecorded` are files named like backups of statetool without a record; both stay.
    """

    history: History
    kept: History
    edits: tuple[HistoryEntry, ...] = ()
    backups: tuple[OldFile, ...] = ()
    contents: tuple[OldFile, ...] = ()
    changed: tuple[Path, ...] = ()
    unrecorded: tuple[Path, ...] = ()

    @property
    def deletes(self) -> bool:
        """Whether there is anything to delete."""
        return bool(self.edits or self.backups or self.contents)

    @property
    def freed(self) -> int:
        """The freed bytes on disk; a file with several names is freed with its last name."""
        files = (*self.backups, *self.contents)
        names: dict[tuple[int, int], int] = {}
        for file in files:
            names[file.inode] = names.get(file.inode, 0) + 1
        sizes = {file.inode: file.size for file in files if file.links <= names[file.inode]}
        return sum(sizes.values())


def plan_pruning(path: Path, *, keep: int | None = None, since: datetime | None = None) -> Pruning:
    """Plan to delete all but the newest edits (`keep`, by default the number of the history), or all edits before
    `since`.

    Nothing may hold the lock of the state: a backup may be another name of the state, and closing it drops the lock.
    Raises StoreError, also for a symbolic link in place of a regular file.
    """
    with explained(path), around(path) as state:
        history = history_of(state)
        count = keep or history.keep
        first = len(history.entries) - count
        if since is not None:
            first = sum(1 for _ in takewhile(lambda entry: _is_before(entry.time, since), history.entries))
        edits, entries = history.entries[: max(first, 0)], history.entries[max(first, 0) :]
        recent = tuple(one for one in history.old_backups if since is not None and not _is_before(one.time, since))
        kept = structs.replace(history, entries=entries, old_backups=recent, last=history.next_number - 1)
        # Edits in the same second have backups of the same stamp if they name the state differently.
        in_use = {(entry.backup, entry.before) for entry in entries} | {(one.backup, one.checksum) for one in recent}
        expected: dict[str, set[str]] = {}
        for old in history.without(edits, entries).old_backups:
            expected.setdefault(old.backup, set()).add(old.checksum)
        backups: list[OldFile] = []
        changed: list[Path] = []
        for folder, name in _places(state):
            for stamp, checksums in expected.items():
                file = stamped_backup(name, stamp)
                found = _old_file(folder, file) if file else None
                content = checksum(folder.read(file)) if found is not None else ""
                if found is not None and (stamp, content) not in in_use:
                    if content in checksums:
                        backups.append(found)
                    else:
                        changed.append(found.path)
        recorded = {stamp for stamp, _ in in_use} | expected.keys()
        unrecorded = [
            folder.path / file
            for folder, name in _places(state)
            for file in folder.names()
            if is_own_backup(file, name) and backup_stamp(file, name) not in recorded
        ]
        with unneeded_contents(state, kept) as (inner, names):
            contents = [found for name in names if inner and (found := _old_file(inner, name))]
    return Pruning(history, kept, edits, tuple(backups), tuple(contents), tuple(changed), tuple(unrecorded))


def prune(state: StateFile, pruning: Pruning) -> None:
    """Execute a pruning; the state must be locked. Raises StoreError if anything has changed since.

    If it is killed, the next pruning deletes the rest.
    """
    with explained(state.path):
        if history_of(state) != pruning.history:
            raise StoreError(f"{state.path}: the history has changed meanwhile; nothing was deleted, try again")
        forgotten = pruning.history.without(pruning.edits, pruning.kept.entries)
        save_history(state, forgotten)
        folders = {folder.path: folder for folder, _ in _places(state)}
        for file in pruning.backups:
            folder = folders[file.path.parent]
            found = folder.status(file.path.name)
            if found is not None and version_of(found) == file.version:
                folder.remove(file.path.name)
        for folder in folders.values():
            folder.sync()
        drop_contents(state, pruning.kept)
        save_history(state, pruning.kept)


def _places(state: StateFile) -> list[tuple[Folder, str]]:
    """Return the folders with backups, each with the name of the state in it."""
    here = (state.folder, state.name)
    return [here] if state.named_in is state.folder else [here, (state.named_in, state.path.name)]


def _old_file(folder: Folder, name: str) -> OldFile | None:
    """Describe a file; None if it does not exist. Raises StoreError for a symbolic link or an untrusted owner."""
    try:
        descriptor = folder.open(name)
    except FileNotFoundError:
        return None
    found = os.fstat(descriptor)
    close(descriptor)
    return OldFile(folder.path / name, found.st_size, (found.st_dev, found.st_ino), found.st_nlink, version_of(found))


def _is_before(time: str, since: datetime) -> bool:
    # Anyone who can write the folder can write the history: keep edits without a valid time.
    with suppress(ValueError, TypeError):
        return datetime.fromisoformat(time) < since
    return False
