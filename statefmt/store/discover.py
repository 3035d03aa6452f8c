"""From what a command line names to the state files it means."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.reading import STANDARD_INPUT, reason_of

_SUFFIX: Final = ".tfstate"
# `terraform.tfstate.backup`, and `terraform.tfstate.1700000000.backup` as surgery names them.
_BACKUP_SUFFIX: Final = ".backup"
# Where `init` keeps its own files, among them a `terraform.tfstate` that is no state.
_WORKING_FOLDER: Final = ".terraform"


def find_states(names: Iterable[str], *, everything: bool = False) -> list[str]:
    """The state files that paths, globs and folders mean, each once, in the order given and sorted within.

    A folder means every `*.tfstate` below it; backups and `.terraform` only with `everything`. Standard input
    and paths stay as they are. Raises StoreError where a glob or a folder holds no state file.
    """
    found: dict[str, None] = {}
    for name in names:
        for path in _expand(name, everything):
            found[path] = None
    return list(found)


def _expand(name: str, everything: bool) -> list[str]:
    if name in (STANDARD_INPUT, ""):
        return [name]
    if _is_folder(name):
        below = sorted(_states_below(name, everything))
        if not below:
            raise StoreError(f"{name}: there is no state file (*{_SUFFIX}) in this folder or below it")
        return below
    if glob.has_magic(name) and not os.path.lexists(name):
        matching = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute patterns
        if not matching:
            raise StoreError(f"{name}: no file fits this pattern")
        return [
            path for match in matching for path in ([match] if not _is_folder(match) else _expand(match, everything))
        ]
    return [name]


def _is_folder(name: str) -> bool:
    """Whether this is a folder; not where that may not be looked at, and reading it will say so."""
    return os.path.isdir(name)  # noqa: PTH112 - Path.is_dir raises then


def _states_below(folder: str, everything: bool) -> Iterator[str]:
    for parent, folders, files in os.walk(folder, onerror=_refuse):
        if not everything:
            folders[:] = [name for name in folders if name != _WORKING_FOLDER]
        for name in files:
            if name.endswith(_SUFFIX) or (everything and name.endswith(_BACKUP_SUFFIX) and _SUFFIX in name):
                yield str(Path(parent) / name)


def _refuse(error: OSError) -> None:
    """A folder that cannot be looked into may hold states that nobody has checked then."""
    raise StoreError(f"{error.filename}: {reason_of(error)}") from error
