"""Finds which program a folder belongs to, for states that only that program opens."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from statefmt.model.errors import RemoteStateError
from statefmt.store.backends.workspace import WorkspaceSource
from statefmt.store.small_files import read_bounded
from statefmt.whereabouts._find import FoundBackend

# In bytes.
_LARGEST_LOCK_FILE: Final = 1 << 24
# The program that installs providers from each public registry.
_PROGRAMS: Final = {b"registry.opentofu.org": "tofu", b"registry.terraform.io": "terraform"}


def folder_programs(folder: Path) -> tuple[str, ...]:
    """Return the program whose registry the dependency lock file names, or both if it names neither or both."""
    try:
        locked = read_bounded(folder / ".terraform.lock.hcl", _LARGEST_LOCK_FILE)
    except OSError:
        locked = b""
    found = tuple(program for host, program in _PROGRAMS.items() if b'\nprovider "%s/' % host in b"\n" + locked)
    return found if len(found) == 1 else tuple(_PROGRAMS.values())


def unsupported(found: FoundBackend) -> RemoteStateError:
    """Return the error for a state in a backend that statetool does not open; it names the programs of the folder."""
    asked = found.workspace.name if found.workspace.source is WorkspaceSource.OPTION else ""
    folder = str(found.folder)
    return RemoteStateError(found.type, folder_programs(found.folder), "" if folder == "." else folder, asked)
