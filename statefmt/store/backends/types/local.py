"""The backend `local`. Source: OpenTofu `internal/backend/local/backend.go`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Final

from statefmt.store.backends.description import DEFAULT_WORKSPACE, BackendArgument, BackendType, SettingValues, text_of

# The folder of the states of workspaces, unless `workspace_dir` names another.
WORKSPACES_FOLDER: Final = "terraform.tfstate.d"


def state_file(values: SettingValues, workspace: str) -> PurePath:
    """Return the file of a workspace's state, relative to the folder unless a setting is absolute."""
    if workspace == DEFAULT_WORKSPACE:
        return PurePath(text_of(values, "path"))
    return PurePath(text_of(values, "workspace_dir"), workspace, "terraform.tfstate")


def _place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return str(state_file(values, workspace))


BACKEND: Final = BackendType(
    "local",
    (BackendArgument("path", default="terraform.tfstate"), BackendArgument("workspace_dir", default=WORKSPACES_FOLDER)),
    _place,
    required=("path", "workspace_dir"),
    locks=lambda _values, _location: ("lock of the open file",),
)
