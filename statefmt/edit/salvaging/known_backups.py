"""Finds the backups of a state that are known without being named: files beside it, and its history."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from statefmt.context import RunContext
from statefmt.edit.stores import history_at
from statefmt.model.errors import StoreError
from statefmt.store.backends import RemoteName, VersionName
from statefmt.store.local.backups import backups, own_backup
from statefmt.store.reading import GIT, STANDARD_INPUT


class KnownBackup(Struct, frozen=True):
    """A backup of a state: a file at `name`, or what the state was before an edit in its history.

    `checksum` is the SHA-256 of a content of the history, "" for a file.
    """

    name: str
    checksum: str = ""


def known_backups(context: RunContext, name: str) -> tuple[KnownBackup, ...]:
    """Return the backups beside a state, and the contents of its history that have no file; none if it has neither.

    Each content is returned once. Names are those that `locations.current_state` returns. The state itself may be
    damaged or missing.
    """
    if name == STANDARD_INPUT or name.startswith(GIT) or isinstance(name, VersionName):
        return ()
    path = None if isinstance(name, RemoteName) else Path(name)
    files = [] if path is None else backups(path)
    try:
        entries = history_at(context, name).load().entries
    except StoreError as error:
        context.note(error.on_command_line)
        entries = ()
    kept: dict[str, KnownBackup] = {}
    for entry in entries:
        backup = None if path is None else own_backup(path, entry.backup)
        if backup is None or not os.path.isfile(backup):  # noqa: PTH113 - Path.is_file raises without permission
            kept.setdefault(entry.before, KnownBackup(f"{name} before edit {entry.number}", entry.before))
    return (*(KnownBackup(str(file)) for file in files), *kept.values())


def backup_content(context: RunContext, name: str, backup: KnownBackup) -> bytes:
    """Return the bytes of a known backup of a state. Raises StoreError."""
    return history_at(context, name).content(backup.checksum) if backup.checksum else context.read(backup.name)
