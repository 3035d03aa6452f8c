"""Finds which program a folder belongs to, for states that only that program opens."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from statefmt.model.errors import RemoteStateError
from statefmt.store.backends.workspace import WorkspaceSource
from statefmt.store.small_files import read_bounded
from statefmt.whereabouts._find import TERRAGRUNT_UNIT, FoundBackend

# In bytes.
_LARGEST_LOCK_FILE: Final = 1 << 24
# Declarations that only Terraform has.
_STATE_STORE: Final = "state_store"
_REMOTE: Final = "remote state"
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
    folder = "" if str(found.folder) == "." else str(found.folder)
    return RemoteStateError(found.type, programs_of(found), folder, asked, declared=declaration(found))


def programs_of(found: FoundBackend) -> tuple[str, ...]:
    """Return the programs that open the state of a folder: one may know a declaration that others do not."""
    if found.type == TERRAGRUNT_UNIT:
        return ("terragrunt",)
    if found.type.startswith((_STATE_STORE, _REMOTE)):
        return ("terraform",)
    return folder_programs(found.folder)


def declaration(found: FoundBackend) -> str:
    """Return a sentence about what says where the state is, without a full stop; "" for a backend."""
    if found.is_backend:
        return ""
    if found.type == TERRAGRUNT_UNIT:
        return f"{found.place}: this folder is a Terragrunt unit, and terragrunt decides where its state is"
    if found.type.startswith((_STATE_STORE, _REMOTE)):
        return f"{found.place}: the state of this folder is stored in {found.type}"
    return f"{found.place}: statetool does not know {found.type}, which may say where the state of this folder is"
