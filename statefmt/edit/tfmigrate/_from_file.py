"""Makes an operations file of a migration file of tfmigrate."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.operations_file import LARGEST_OPERATIONS, OperationBlock, StateBlock, folder_names, operations_text
from statefmt.edit.tfmigrate._migration import MigrationFolder, TfmigrateFile, read_migration
from statefmt.edit.tfmigrate._operations import operations_of
from statefmt.edit.transactions.in_memory import snapshots_in_memory
from statefmt.model.errors import SettingsError, StoreError, Wording
from statefmt.store.files import read_bounded
from statefmt.store.reading import is_folder, reason_of
from statefmt.text import printable


class ConvertedMigration(NamedTuple):
    """The states of a migration by their names, with absolute paths, and its operations in order.

    `unmatched` are the actions whose wildcards match nothing.
    """

    states: Mapping[str, StateBlock]
    operations: tuple[OperationBlock, ...]
    unmatched: tuple[str, ...]

    def text(self, folder: str | None = None) -> str:
        """Return an operations file, with paths relative to `folder` if it is given."""
        return operations_text(self._states(folder), self.operations)

    def _states(self, folder: str | None) -> Mapping[str, StateBlock]:
        if folder is None:
            return self.states
        start = os.path.realpath(folder)
        return {
            name: structs.replace(state, path=Path(os.path.relpath(state.path, start)).as_posix())
            for name, state in self.states.items()
        }


def converted_migration(context: RunContext, path: str, *, root: str | None = None) -> ConvertedMigration:
    """Return the operations that do what a migration file does.

    `root` is the folder that tfmigrate runs in, which its directories are relative to; without it, that of the file.
    They must be below it. States are read only if an `xmv` has wildcards, and nothing is written. Raises SettingsError
    for an invalid file and for directories that are elsewhere, SurgeryError for an action that has no operation, and
    StatetoolError if a state cannot be read.
    """
    try:
        content = read_bounded(path, LARGEST_OPERATIONS, pipes=True)
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error
    migration = read_migration(path, content, context.environment)
    base = Path(root if root is not None else Path(path).parent)
    places = [_place(one, base, chosen=root is not None) for one in migration.folders]
    if len(set(zip(places, (one.workspace for one in migration.folders), strict=True))) < len(places):
        raise SettingsError(f"{migration.folders[1].range}: both states of the migration are the same")
    states = {
        name: StateBlock(place, one.workspace)
        for name, place, one in zip(_names(places, migration), places, migration.folders, strict=True)
    }
    made = operations_of(migration, states, lambda: snapshots_in_memory(context, states))
    return ConvertedMigration(states, made.operations, made.unmatched)


def _place(folder: MigrationFolder, base: Path, *, chosen: bool) -> str:
    """Return the real path of a directory. Raises SettingsError if it is not below the base, or not there."""
    found = "" if "\0" in folder.path else os.path.realpath(base / folder.path)
    if not Path(found).is_relative_to(os.path.realpath(base)):
        raise SettingsError(
            f"{folder.range}: {printable(folder.path)} is not below {base}, so the migration is not read"
        )
    here = Path(folder.path)
    elsewhere = not chosen and is_folder(here) and os.path.realpath(here) != found
    advice = Wording(
        "; --root DIR names the folder that tfmigrate runs in", "; `root` names the folder that tfmigrate runs in"
    )
    if not is_folder(found):
        raise SettingsError(f"{folder.range}: {base / folder.path} is not a folder", advice)
    if elsewhere:
        raise SettingsError(
            f"{folder.range}: {folder.path} is a folder both below {base} and below the current one", advice
        )
    return found


def _names(places: list[str], migration: TfmigrateFile) -> list[str]:
    """Return a name for each state: of its directory, or of its workspace if both are of one directory."""
    if len(set(places)) < len(places):
        return folder_names([Path(place, one.workspace) for place, one in zip(places, migration.folders, strict=True)])
    return folder_names([Path(place) for place in places])
