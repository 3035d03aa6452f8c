"""The file of a state in the backend `local`."""

from __future__ import annotations

from pathlib import Path

from statefmt.model.errors import StoreError
from statefmt.store.backends.types.local import state_file
from statefmt.store.local.state_file import init_folder
from statefmt.store.small_files import is_inside
from statefmt.text.shell import shell_line
from statefmt.whereabouts._find import FoundBackend, FoundState


def local_state(found: FoundState) -> Path:
    """Return the file of a state in the backend `local`, with the folder before it.

    Raises StoreError if `path` or `workspace_dir` is empty.
    """
    for name in found.missing:
        place = next((one.place for one in found.settings if one.name == name), found.backend.place)
        raise StoreError(f"{place}: {name} must not be empty")
    return found.backend.folder / state_file(found.values, found.backend.workspace.name)


def leads_outside(found: FoundState) -> bool:
    """Return whether the file of a state in the backend `local` is outside of the folder whose state it is.

    A folder may be of a stranger, who must not decide which other file is written. Links count as what they lead to.
    """
    path = state_file(found.values, found.backend.workspace.name)
    folder = found.backend.folder
    if ".." in path.parts or (path.is_absolute() and not path.is_relative_to(folder.absolute())):
        return True
    # No file has a name with a NUL character, so no link leads anywhere.
    return "\0" not in str(path) and not is_inside(folder / path, folder)


def state_in_record(found: FoundBackend) -> str:
    """Return a sentence about a state in the file of `init`, with the way out; "" if there is none."""
    if not found.state_in_record:
        return ""
    copying = shell_line(["statetool", "copy", found.state_in_record, str(found.folder)])
    return (
        f"{found.state_in_record}: init records the backend in this file, and somebody has put a state there. OpenTofu "
        'and Terraform refuse every command in the folder with "does not support state version 4" or "unsupported '
        'backend state version 4". Move the state to where the backend expects it, '
        f"`{copying}`, delete the file, and run init"
    )


def is_record_itself(found: FoundState) -> bool:
    """Return whether the backend `local` keeps the state in the file in which `init` records the backend."""
    return found.backend.type == "local" and not found.missing and init_folder(local_state(found)) is not None
