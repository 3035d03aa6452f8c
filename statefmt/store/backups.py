"""The copies of a state that lie beside it: those that statetool, OpenTofu and Terraform make before they write."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from statefmt.store.linked import linked_file

# `.backup`, and with the time of an edit before it, which may have a number.
_SUFFIX: Final = re.compile(r"(?:\.[0-9]+(?:-[0-9]+)?)?\.backup")


def other_backups(path: Path) -> list[Path]:
    """The backups beside a state file, by name. None where the folder cannot be read."""
    path = linked_file(path)
    try:
        found = sorted(path.parent.iterdir())
    except OSError:
        return []
    return [
        other
        for other in found
        if other.name.startswith(path.name) and _SUFFIX.fullmatch(other.name[len(path.name) :]) and other.is_file()
    ]
