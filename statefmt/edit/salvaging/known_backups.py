"""Finds the backups of a state that are known without being named: files beside it, and its history."""

from __future__ import annotations

import os

from msgspec import Struct

from statefmt.context import RunContext
from statefmt.edit.stores import history_at
from statefmt.model.errors import StoreError
from statefmt.store.backends.remote_name import RemoteName, VersionName
from statefmt.store.local.backups_beside import backups_beside, own_backup
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
    files = [] if isinstance(name, RemoteName) else backups_beside(name)
    try:
        entries = history_at(context, name).load().entries
    except StoreError as error:
        context.note(error.on_command_line)
        entries = ()
    kept: dict[str, KnownBackup] = {}
    for entry in entries:
        backup = "" if isinstance(name, RemoteName) else own_backup(name, entry.backup)
        if not backup or not os.path.isfile(backup):  # noqa: PTH113 - Path.is_file raises without permission
            kept.setdefault(entry.before, KnownBackup(f"{name} before edit {entry.number}", entry.before))
    return (*map(KnownBackup, files), *kept.values())


def backup_content(context: RunContext, name: str, backup: KnownBackup) -> bytes:
    """Return the bytes of a known backup of a state. Raises StoreError."""
    return history_at(context, name).content(backup.checksum) if backup.checksum else context.read(backup.name)
