"""Which state a command means when none is named: that of the current workspace.

Source: OpenTofu `internal/command/meta_backend.go`, `internal/backend/local`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.small_files import read_bounded

# In bytes: what `init` writes is a few hundred.
_LARGEST_NAME: Final = 4096
_LARGEST_RECORD: Final = 1 << 24


def default_state(folder: Path, environment: Mapping[str, str]) -> Path:
    """The state file of the current workspace of a configuration folder.

    The workspace is TF_WORKSPACE, else what `environment` in TF_DATA_DIR (or `.terraform`) names. Raises
    StoreError where the folder is initialised with another backend than `local`.
    """
    data = folder / (environment.get("TF_DATA_DIR") or ".terraform")
    backend, settings = _backend(data / "terraform.tfstate")
    if backend not in ("", "local"):
        raise StoreError(
            f"the state of this folder is kept in the backend {backend!r}, not in a file. Work on it through a pipe:\n"
            "  tofu state pull | statetool COMMAND --state - … | tofu state push -"
        )
    workspace = environment.get("TF_WORKSPACE") or _workspace(data / "environment")
    if workspace in ("", "default"):
        return folder / _setting(settings, "path", "terraform.tfstate")
    return folder / _setting(settings, "workspace_dir", "terraform.tfstate.d") / workspace / "terraform.tfstate"


def _workspace(path: Path) -> str:
    try:
        return read_bounded(path, _LARGEST_NAME).decode().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _backend(path: Path) -> tuple[str, object]:
    """The backend type and its settings that `init` recorded; "" where there is none."""
    try:
        text = read_bounded(path, _LARGEST_RECORD)
    except OSError:
        return "", None
    import orjson

    try:
        recorded = orjson.loads(text)
    except orjson.JSONDecodeError:
        return "", None
    backend = recorded.get("backend") if isinstance(recorded, dict) else None
    if not isinstance(backend, dict) or not isinstance(backend.get("type"), str):
        return "", None
    return backend["type"], backend.get("config")


def _setting(settings: object, name: str, default: str) -> str:
    """A setting of the backend `local`; the default where it is not set, which is recorded as null."""
    value = settings.get(name) if isinstance(settings, dict) else None
    return value if isinstance(value, str) and value else default
