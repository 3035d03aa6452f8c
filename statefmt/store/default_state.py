"""Finds the state file that a command uses by default: that of the current workspace.

Source: OpenTofu `internal/command/meta_backend.go`, `internal/backend/local`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from statefmt.model.errors import RemoteStateError
from statefmt.store.small_files import read_bounded

# In bytes; `init` writes a few hundred.
_LARGEST_NAME: Final = 4096
_LARGEST_RECORD: Final = 1 << 24
# The program that installs providers from each public registry.
_PROGRAMS: Final = {b"registry.opentofu.org": "tofu", b"registry.terraform.io": "terraform"}


def default_state(folder: Path, environment: Mapping[str, str]) -> Path:
    """Return the state file of the current workspace of a configuration folder.

    The workspace is TF_WORKSPACE, else the content of the file `environment` in TF_DATA_DIR (or `.terraform`). Raises
    RemoteStateError if the folder is initialised with a backend other than `local`.
    """
    data = folder / (environment.get("TF_DATA_DIR") or ".terraform")
    backend, settings = _backend(data / "terraform.tfstate")
    if backend not in ("", "local"):
        raise RemoteStateError(backend, _programs(folder))
    workspace = environment.get("TF_WORKSPACE") or _workspace(data / "environment")
    if workspace in ("", "default"):
        return folder / _setting(settings, "path", "terraform.tfstate")
    return folder / _setting(settings, "workspace_dir", "terraform.tfstate.d") / workspace / "terraform.tfstate"


def _programs(folder: Path) -> list[str]:
    """Return the program whose registry the dependency lock file names, or both if it names neither or both."""
    try:
        locked = read_bounded(folder / ".terraform.lock.hcl", _LARGEST_RECORD)
    except OSError:
        locked = b""
    found = [program for host, program in _PROGRAMS.items() if b'\nprovider "%s/' % host in b"\n" + locked]
    return found if len(found) == 1 else list(_PROGRAMS.values())


def _workspace(path: Path) -> str:
    try:
        return read_bounded(path, _LARGEST_NAME).decode().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _backend(path: Path) -> tuple[str, object]:
    """Return the backend type and settings that `init` recorded; the type is "" if there are none."""
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
    # `init` records a setting that is not set as null.
    value = settings.get(name) if isinstance(settings, dict) else None
    return value if isinstance(value, str) and value else default
