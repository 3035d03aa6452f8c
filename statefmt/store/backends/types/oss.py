"""The backend `oss`. Source: OpenTofu `internal/backend/remote-state/oss/backend.go`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.store.backends.description import (
    ArgumentKind,
    BackendArgument,
    BackendType,
    SettingValues,
    block_argument,
    text_arguments,
    truth_arguments,
)
from statefmt.store.backends.types._objects import object_path


def _place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return f"oss://{object_path(values, workspace)}"


def _own(name: str, *more: str, secret: bool = False) -> BackendArgument:
    return BackendArgument(name, (f"ALICLOUD_{name.upper()}", *more), secret=secret)


def _role() -> tuple[BackendArgument, ...]:
    return (
        BackendArgument("role_arn", ("ALICLOUD_ASSUME_ROLE_ARN",)),
        BackendArgument("session_name", ("ALICLOUD_ASSUME_ROLE_SESSION_NAME",)),
        *text_arguments("policy"),
        BackendArgument("session_expiration", ("ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION",), kind=ArgumentKind.NUMBER),
    )


BACKEND: Final = BackendType(
    "oss",
    (
        *text_arguments("bucket"),
        BackendArgument("prefix", default="env:"),
        BackendArgument("key", default="terraform.tfstate"),
        _own("region", "ALICLOUD_DEFAULT_REGION"),
        BackendArgument("endpoint", ("ALICLOUD_OSS_ENDPOINT", "OSS_ENDPOINT")),
        _own("sts_endpoint"),
        BackendArgument("tablestore_endpoint", ("ALICLOUD_TABLESTORE_ENDPOINT",)),
        *text_arguments("tablestore_table", "acl"),
        *truth_arguments("encrypt"),
        _own("access_key", "ALICLOUD_ACCESS_KEY_ID", secret=True),
        _own("secret_key", "ALICLOUD_ACCESS_KEY_SECRET", secret=True),
        _own("security_token", secret=True),
        _own("ecs_role_name"),
        _own("shared_credentials_file"),
        _own("profile"),
        block_argument("assume_role", *_role()),
        *text_arguments("assume_role_role_arn", "assume_role_session_name", "assume_role_policy"),
        BackendArgument("assume_role_session_expiration", kind=ArgumentKind.NUMBER),
    ),
    _place,
    required=("bucket",),
)
