"""The copies of a state that lie beside it: those that statetool, OpenTofu and Terraform make before they write."""

from __future__ import annotations

import stat
from pathlib import Path

from statefmt.store.local._names import is_backup
from statefmt.store.local.state_file import around


def other_backups(path: Path) -> list[Path]:
    """The backups beside a state file, by name. None where the folder cannot be read."""
    try:
        with around(path) as state:
            names = [name for name in state.named_in.names() if is_backup(name, state.path.name)]
            found = [(name, state.named_in.status(name)) for name in names]
    except OSError:
        return []
    return [path.with_name(name) for name, status in found if status and stat.S_ISREG(status.st_mode)]
