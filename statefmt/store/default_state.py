"""Which state a command means when none is named: that of the current workspace.

Source: OpenTofu `internal/command/meta_backend.go`, `internal/backend/local`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

from statefmt.errors import StoreError


def default_state(folder: Path, environment: Mapping[str, str]) -> Path:
    """The state file of the current workspace of a configuration folder.

    The workspace is TF_WORKSPACE, else what `environment` in TF_DATA_DIR (or `.terraform`) names. Raises
    StoreError where the folder is initialised with another backend than `local`.
    """
    data = folder / (environment.get("TF_DATA_DIR") or ".terraform")
    backend = _backend(data / "terraform.tfstate")
    if backend not in ("", "local"):
        raise StoreError(
            f"the state of this folder is kept in the backend {backend!r}, not in a file. Work on it through a pipe:\n"
            "  tofu state pull | statetool COMMAND --state - … | tofu state push -"
        )
    workspace = environment.get("TF_WORKSPACE") or _workspace(data / "environment")
    if workspace in ("", "default"):
        return folder / "terraform.tfstate"
    return folder / "terraform.tfstate.d" / workspace / "terraform.tfstate"


def _workspace(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _backend(path: Path) -> str:
    """The backend type that `init` recorded, "" where there is none."""
    try:
        recorded = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return ""
    backend = recorded.get("backend") if isinstance(recorded, dict) else None
    kind = backend.get("type") if isinstance(backend, dict) else None
    return kind if isinstance(kind, str) else ""
