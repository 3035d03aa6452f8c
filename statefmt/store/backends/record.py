"""Reads the backend that `init` recorded in the data directory of a folder.

Source: OpenTofu `internal/command/clistate`, `internal/command/workdir/backend_state.go`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.store.backends.settings import GivenSetting, SettingSource
from statefmt.store.reading import reason_of
from statefmt.store.small_files import read_bounded

# In bytes; `init` writes a few thousand.
_LARGEST_RECORD: Final = 1 << 24
_RECORD_VERSION: Final = 3
# The members of a record and of states, which may lie in its place.
_MEMBERS: Final = frozenset({
    "version", "terraform_version", "serial", "lineage", "modules", "backend", "remote", "state_store", "outputs",
    "resources", "check_results",
})  # fmt: skip


class RecordedPlace(Struct, frozen=True):
    """What `init` recorded: a backend, with its settings, or a declaration of another kind.

    `type` is that of a backend or, with `is_backend` False, what a message calls the declaration: it has a space, so
    that it is no type of backend.
    """

    type: str
    settings: tuple[GivenSetting, ...] = ()
    is_backend: bool = True


def recorded_backend(path: Path) -> RecordedPlace | None:
    """Return the recorded backend or other place of the state, None if there is no record or nothing of it in it.

    Raises StoreError if the record cannot be read: the state may then be anywhere.
    """
    recorded = _record(path)
    backend = recorded.get("backend")
    if backend is None:
        return _other_place(recorded)
    kind = backend.get("type") if isinstance(backend, dict) else None
    config = backend.get("config") if isinstance(backend, dict) else None
    if not isinstance(kind, str) or not isinstance(config, (dict, type(None))):
        raise StoreError(f"{path}: this is not what init records; {_RESULT}")
    if not kind:
        return _other_place(recorded)
    given = (GivenSetting(name, value, SettingSource.RECORD, str(path)) for name, value in (config or {}).items())
    return RecordedPlace(kind, tuple(given))


def _other_place(recorded: dict[str, Any]) -> RecordedPlace | None:
    for name, shown in (("state_store", "state_store"), ("remote", "remote state (before Terraform 0.9)")):
        place = recorded.get(name)
        if place is not None:
            kind = place.get("type") if isinstance(place, dict) else None
            label = f'"{kind}"' if isinstance(kind, str) else "of an unknown type"
            return RecordedPlace(f"{shown} {label}", is_backend=False)
    for name, value in recorded.items():
        if name not in _MEMBERS and value not in (None, "", 0, False, [], {}):
            return RecordedPlace(f'the member "{name}"', is_backend=False)
    return None


def holds_state(path: Path) -> bool:
    """Return whether the file of `init` holds a state, which it must not: the engines then refuse the folder.

    False if it cannot be read. Source: Terraform `internal/command/workdir/backend_state.go` (ParseBackendStateFile).
    """
    try:
        recorded = _record(path)
    except StoreError:
        return False
    version, modules = recorded.get("version"), recorded.get("modules")
    has_modules = isinstance(modules, list) and any(
        isinstance(module, dict) and (module.get("resources") or module.get("outputs")) for module in modules
    )
    return has_modules or (isinstance(version, int) and version > _RECORD_VERSION)


def _record(path: Path) -> dict[str, Any]:
    """Return what `init` recorded, nothing if there is no record."""
    try:
        text = read_bounded(path, _LARGEST_RECORD)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}; {_RESULT}") from error
    if not text.strip():
        return {}
    import orjson

    try:
        recorded = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise StoreError(f"{path}: this is not valid JSON; {_RESULT}") from error
    if not isinstance(recorded, dict):
        raise StoreError(f"{path}: this is not what init records; {_RESULT}")
    return recorded


_RESULT: Final = "it may name the backend of the state; run init again, or name the state with --state"
