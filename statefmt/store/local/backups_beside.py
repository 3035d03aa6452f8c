"""Finds the backups of a state file that are beside it."""

from __future__ import annotations

import os
from pathlib import Path

from statefmt.store.local._names import is_backup, stamped_backup
from statefmt.store.local.state_file import linked_file


def backups_beside(name: str) -> list[str]:
    """Return the paths of the backups that statetool, OpenTofu or Terraform made of a state, sorted by name.

    The state may be missing. Returns none if its folder cannot be listed.
    """
    path = linked_file(Path(name))
    try:
        found = sorted(entry.name for entry in os.scandir(path.parent) if entry.is_file())
    except OSError:
        return []
    return [str(path.parent / one) for one in found if is_backup(one, path.name)]


def own_backup(name: str, stamp: str) -> str:
    """Return the path of the backup that statetool made before an edit, from its stamp; "" if it has none."""
    path = linked_file(Path(name))
    backup = stamped_backup(path.name, stamp) if stamp else ""
    return str(path.parent / backup) if backup else ""
