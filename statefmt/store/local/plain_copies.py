"""Deletes the plain copies of a state that is encrypted by now: the backups and the history that statetool made.

Only regular files with names of statetool's own form are deleted, and no symbolic link is followed.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from statefmt.model.errors import StoreError
from statefmt.store.local._folder import Folder
from statefmt.store.local._names import is_backup, is_own_backup
from statefmt.store.local.history_contents import any_content, forget_history
from statefmt.store.local.state_file import StateFile, around, history_path
from statefmt.store.reading import reason_of

# Whether the content of a copy can be read without a key.
IsPlain: TypeAlias = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class Kept:
    """A copy that could not be deleted, or not be looked at, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class PlainCopies:
    """What became of the plain copies of a state; `foreign` are those of other tools, which are left alone."""

    deleted: tuple[Path, ...]
    failed: tuple[Kept, ...]
    foreign: tuple[Path, ...]


def discard_plain(path: Path, is_plain: IsPlain) -> PlainCopies:
    """Delete the plain backups of a state, and its whole history if any content in it is plain.

    The state itself must be encrypted and durable. What cannot be read is not deleted, and is among the `failed`.
    """
    deleted: list[Path] = []
    failed: list[Kept] = []
    foreign: list[Path] = []
    try:
        with around(path) as state:
            for folder, name in _backups(state):
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


def backups(path: Path) -> list[Path]:
    """The backups of a state that statetool, OpenTofu and Terraform made, by name; none where no folder can be read."""
    with suppress(OSError), around(path) as state:
        found = [(folder.path / name, folder.status(name)) for folder, name in _backups(state)]
        return sorted(where for where, status in found if status and stat.S_ISREG(status.st_mode))
    return []


def _backups(state: StateFile) -> list[tuple[Folder, str]]:
    """The backups beside a state, and beside the link by which it is named."""
    places = {(state.folder, state.name), (state.named_in, state.path.name)}
    return [(folder, name) for folder, own in places for name in folder.names() if is_backup(name, own)]


def _kept(path: Path, error: OSError | StoreError) -> Kept:
    reason = reason_of(error) if isinstance(error, OSError) else str(error)
    return Kept(path, reason.removeprefix(f"{path}: "))
