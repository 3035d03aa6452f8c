"""The settings of a backend and the notes on a state, as they may be shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from statefmt.store.backends.description import SettingValue, without_credentials
from statefmt.store.backends.settings import BackendSetting
from statefmt.text import shell_line
from statefmt.whereabouts import inside_state, is_known, is_record_itself, is_supported, local_state, state_in_record
from statefmt.whereabouts.find import BackendSource, FoundState, declaration, programs_of

# Source: OpenTofu `internal/backend/local/backend_apply.go` (backupStateForError).
_ERRORED: Final = "errored.tfstate"


def shown_value(setting: BackendSetting) -> SettingValue:
    """Return the value of a setting that is not secret, without the credentials of URLs in it."""
    return _without_credentials(setting.public)


def _without_credentials(value: SettingValue) -> SettingValue:
    match value:
        case str():
            return without_credentials(value)
        case list():
            return [_without_credentials(item) for item in value]
        case dict():
            return {name: _without_credentials(member) for name, member in value.items()}
    return value


def state_path(found: FoundState) -> Path | None:
    """Return the file of a state in the backend `local`, None for others and for invalid settings."""
    return local_state(found) if found.backend.type == "local" and not found.missing else None


def programs(found: FoundState) -> tuple[str, ...]:
    """Return the programs that the folder may belong to."""
    return programs_of(found.backend)


def notes(found: FoundState) -> Iterator[str]:
    """Yield what else matters about the location, as sentences."""
    for name in found.missing:
        yield f"{name} has no value; set it with --backend-config, or run init first."
    if found.backend.type == "local":
        if not found.missing and inside_state(found) is None:
            yield (
                "The file is outside of this folder: commands refuse it unless --state names it, or --allow-path "
                "allows it."
            )
    elif not is_supported(found):
        using = " or ".join(f"`{program} state pull`" for program in programs(found))
        if said := declaration(found.backend):
            yield f"{said}."
        elif not is_known(found):
            yield f"statetool does not know the backend {found.backend.type!r}."
        yield f"statetool does not open states in this backend itself, only in local, http, pg and s3; use {using}."
    if wrong := state_in_record(found.backend):
        yield f"{wrong}."
    if is_record_itself(found):
        yield (
            "The path of this backend is the file in which init records the backend. OpenTofu and Terraform refuse a "
            "folder whose record is a state: choose another path."
        )
    # Path.is_file raises if the folder may not be searched.
    errored = found.backend.folder / _ERRORED
    if found.backend.source is not BackendSource.URL and os.path.isfile(errored):  # noqa: PTH113
        command = shell_line(["statetool", "reconcile", str(errored)])
        yield f"An apply could not save its state, and left {_ERRORED}; `{command}` says what to do."
