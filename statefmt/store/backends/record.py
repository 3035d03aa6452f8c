"""Reads the backend that `init` recorded in the data directory of a folder.

Source: OpenTofu `internal/command/clistate`, `internal/command/workdir/backend_state.go`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.backends.settings import GivenSetting, SettingSource
from statefmt.store.reading import reason_of
from statefmt.store.small_files import read_bounded

# In bytes; `init` writes a few thousand.
_LARGEST_RECORD: Final = 1 << 24


def recorded_backend(path: Path) -> tuple[str, tuple[GivenSetting, ...]] | None:
    """Return the type and the settings of the recorded backend, None if there is no record or no backend in it.

    Raises StoreError if the record cannot be read: the state may then be anywhere.
    """
    try:
        text = read_bounded(path, _LARGEST_RECORD)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}; {_RESULT}") from error
    if not text.strip():
        return None
    import orjson

    try:
        recorded = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise StoreError(f"{path}: this is not valid JSON; {_RESULT}") from error
    backend = recorded.get("backend") if isinstance(recorded, dict) else None
    if backend is None and isinstance(recorded, dict):
        return None
    kind = backend.get("type") if isinstance(backend, dict) else None
    config = backend.get("config") if isinstance(backend, dict) else None
    if not isinstance(kind, str) or not isinstance(config, (dict, type(None))):
        raise StoreError(f"{path}: this is not what init records; {_RESULT}")
    if not kind:
        return None
    given = (GivenSetting(name, value, SettingSource.RECORD, str(path)) for name, value in (config or {}).items())
    return kind, tuple(given)


_RESULT: Final = "it may name the backend of the state; run init again, or name the state with --state"
