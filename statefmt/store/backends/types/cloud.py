"""The `cloud` block. Source: OpenTofu `internal/cloud/backend.go`."""

from __future__ import annotations

from typing import Final

from statefmt.store.backends.description import (
    BackendArgument,
    BackendType,
    block_argument,
    structured_arguments,
    text_arguments,
)
from statefmt.store.backends.types._workspaces import SHARED, remote_place

BACKEND: Final = BackendType(
    "cloud",
    (
        *SHARED,
        block_argument(
            "workspaces",
            *text_arguments("name"),
            BackendArgument("project", ("TF_CLOUD_PROJECT",)),
            *structured_arguments("tags"),
        ),
    ),
    remote_place,
    required=("organization",),
)
