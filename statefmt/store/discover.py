"""Expands the paths, globs and folders of a command line to state files."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.backends.remote_name import RemoteName
from statefmt.store.inside import inside_name, unfollowed_name
from statefmt.store.reading import STANDARD_INPUT, is_folder, reason_of

_SUFFIX: Final = ".tfstate"
# `terraform.tfstate.backup`, or `terraform.tfstate.1700000000.backup` from `tofu state` and statetool.
_BACKUP_SUFFIX: Final = ".backup"
# `init` keeps its own files here, including a `terraform.tfstate` that is not a state.
_WORKING_FOLDER: Final = ".terraform"


def find_states(names: Iterable[str], *, everything: bool = False, allowed: Sequence[str] = ()) -> list[str]:
    """Expand paths, globs and folders to state files without duplicates, in the order given, sorted within each name.

    A folder expands to every `*.tfstate` below it; `everything` adds backups and `.terraform`. Standard input,
    paths and states in backends stay as they are. Raises StoreError if a glob or a folder contains no state file. A
    link below a folder that leads out of it, and not to what is `allowed`, is found, but cannot be read.
    """
    found: dict[str, None] = {}
    for name in names:
        for path in _expand(name, everything, allowed):
            found[path] = None
    return list(found)


def _expand(name: str, everything: bool, allowed: Sequence[str]) -> list[str]:
    if name in (STANDARD_INPUT, "") or isinstance(name, RemoteName):
        return [name]
    if is_folder(name):
        below = sorted(_states_below(name, everything, allowed))
        if not below:
            raise StoreError(f"{name}: no state file (*{_SUFFIX}) in this folder or below it")
        return below
    if glob.has_magic(name) and not os.path.lexists(name):
        matching = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute patterns
        if not matching:
            raise StoreError(f"{name}: no file matches this pattern")
        return [
            path
            for match in matching
            for path in ([match] if not is_folder(match) else _expand(match, everything, allowed))
        ]
    return [name]


def _states_below(folder: str, everything: bool, allowed: Sequence[str]) -> Iterator[str]:
    root = os.path.realpath(folder)
    for parent, folders, files in os.walk(folder, onerror=_refuse):
        if not everything:
            folders[:] = [name for name in folders if name != _WORKING_FOLDER]
        for name in files:
            if name.endswith(_SUFFIX) or (everything and name.endswith(_BACKUP_SUFFIX) and _SUFFIX in name):
                path = Path(parent, name)
                found = inside_name(path, (folder, *allowed)) if path.is_symlink() else None
                # Walking follows no link to a folder. A link that leads out is opened as itself, which is refused.
                real = os.path.join(root, os.path.relpath(parent, folder))  # noqa: PTH118 - thousands of states
                yield found or unfollowed_name(path, root, os.path.normpath(real))


def _refuse(error: OSError) -> None:
    # Skipping an unreadable folder would leave its states unchecked.
    raise StoreError(f"{error.filename}: {reason_of(error)}") from error
