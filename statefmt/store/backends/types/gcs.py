"""The backend `gcs`. Source: OpenTofu `internal/backend/remote-state/gcs/backend.go`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.store.backends.description import (
    BackendArgument,
    BackendType,
    SettingValues,
    structured_arguments,
    text_arguments,
    text_of,
)


def _place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    parts = (text_of(values, "bucket"), text_of(values, "prefix").strip("/"), f"{workspace}.tfstate")
    return "gs://" + "/".join(part for part in parts if part)


def _service_account() -> BackendArgument:
    name = "IMPERSONATE_SERVICE_ACCOUNT"
    return BackendArgument(name.lower(), (f"GOOGLE_BACKEND_{name}", f"GOOGLE_{name}"))


BACKEND: Final = BackendType(
    "gcs",
    (
        *text_arguments("bucket", "prefix"),
        BackendArgument("credentials", ("GOOGLE_BACKEND_CREDENTIALS", "GOOGLE_CREDENTIALS"), secret=True),
        BackendArgument("access_token", ("GOOGLE_OAUTH_ACCESS_TOKEN",), secret=True),
        _service_account(),
        *structured_arguments("impersonate_service_account_delegates"),
        BackendArgument("encryption_key", ("GOOGLE_ENCRYPTION_KEY",), secret=True),
        BackendArgument("kms_encryption_key", ("GOOGLE_KMS_ENCRYPTION_KEY",)),
        BackendArgument(
            "storage_custom_endpoint", ("GOOGLE_BACKEND_STORAGE_CUSTOM_ENDPOINT", "GOOGLE_STORAGE_CUSTOM_ENDPOINT")
        ),
        BackendArgument("universe_domain", ("GOOGLE_BACKEND_UNIVERSE_DOMAIN",)),
    ),
    _place,
    required=("bucket",),
)
