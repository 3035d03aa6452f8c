"""Finds the backups of a state file, which are beside it, and those that are in clear text."""

from __future__ import annotations

import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from statefmt.model.errors import StoreError
from statefmt.store.local._folder import Folder, is_backup, is_own_backup, stamped_backup
from statefmt.store.local.history import any_content, forget_history
from statefmt.store.local.state_file import StateFile, around, history_path, linked_file
from statefmt.store.reading import reason_of

# Returns whether a content is unencrypted.
IsPlain: TypeAlias = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class Kept:
    """A copy that could not be read or deleted, and the reason."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class PlainCopies:
    """The result for the plain copies of a state; `foreign` are those of other tools, which are kept."""

    deleted: tuple[Path, ...]
    failed: tuple[Kept, ...]
    foreign: tuple[Path, ...]


def discard_plain(path: Path, is_plain: IsPlain) -> PlainCopies:
    """Delete the plain backups of a state, and its whole history if any content in it is plain.

    The state itself must be encrypted and durable. Unreadable copies are kept and listed in `failed`.
    """
    deleted: list[Path] = []
    failed: list[Kept] = []
    foreign: list[Path] = []
    try:
        with around(path) as state:
            for folder, name in backups_of(state):
                where = folder.path / name
                try:
                    if not is_plain(folder.read(name)):
                        continue
                    if is_own_backup(name, state.path.name) or is_own_backup(name, state.name):
                        folder.remove(name)
                        deleted.append(where)
                    else:
                        foreign.append(where)
                except (OSError, StoreError) as error:
                    failed.append(_kept(where, error))
            if deleted:
                state.folder.sync()
                state.named_in.sync()
    except OSError as error:
        failed.append(_kept(path.parent, error))
    history = history_path(path)
    try:
        if any_content(path, is_plain):
            forget_history(path)
            deleted.append(history)
    except (OSError, StoreError) as error:
        failed.append(_kept(history, error))
    return PlainCopies(tuple(deleted), tuple(failed), tuple(foreign))


def _kept(path: Path, error: OSError | StoreError) -> Kept:
    reason = reason_of(error) if isinstance(error, OSError) else str(error)
    return Kept(path, reason.removeprefix(f"{path}: "))


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
