"""The backend `remote`. Source: OpenTofu `internal/backend/remote/backend.go`."""

from __future__ import annotations

from typing import Final

from statefmt.store.backends.description import BackendType, block_argument, text_arguments
from statefmt.store.backends.types._workspaces import SHARED, remote_place

BACKEND: Final = BackendType(
    "remote",
    (*SHARED, block_argument("workspaces", *text_arguments("name", "prefix"))),
    remote_place,
    required=("organization",),
    only_default="workspaces.name",
)
