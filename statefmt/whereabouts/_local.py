"""The file of a state in the backend `local`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from statefmt.model.errors import StoreError
from statefmt.store.backends.settings import SettingSource
from statefmt.store.backends.types import state_file
from statefmt.store.inside import InsideName, inside_name
from statefmt.store.local.state_file import init_folder
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


def inside_state(found: FoundState, allowed: Iterable[str] = ()) -> InsideName | None:
    """Return the name of the file of a state in the backend `local`; None if the file is outside of the folder.

    A folder may be of a stranger, who must not decide which other file is read or written. Links count as what they
    lead to. The user allows other places: with `--backend-config`, and those that are `allowed`.
    """
    folder = found.backend.folder
    named = (str(folder / str(one.value)) for one in found.settings if one.source is SettingSource.OPTION and one.value)
    return inside_name(local_state(found), (folder, *named, *allowed))


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
