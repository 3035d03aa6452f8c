"""Deletes the unencrypted backups and history that statetool made of a state that is now encrypted.

Deletes only regular files with the names that statetool gives, and follows no symbolic links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from statefmt.model.errors import StoreError
from statefmt.store.local._names import is_own_backup
from statefmt.store.local.backups import backups_of
from statefmt.store.local.history_contents import any_content, forget_history
from statefmt.store.local.state_file import around, history_path
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
