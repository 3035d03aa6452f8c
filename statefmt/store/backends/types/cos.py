"""The backend `cos`. Source: OpenTofu `internal/backend/remote-state/cos/backend.go`."""

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
    return f"cos://{object_path(values, workspace)}"


def _own(name: str, *, secret: bool = False) -> BackendArgument:
    return BackendArgument(name, (f"TENCENTCLOUD_{name.upper()}",), secret=secret)


def _role(name: str) -> BackendArgument:
    return BackendArgument(name, (f"TENCENTCLOUD_ASSUME_ROLE_{name.removeprefix('role_').upper()}",))


BACKEND: Final = BackendType(
    "cos",
    (
        *text_arguments("bucket", "prefix"),
        BackendArgument("key", default="terraform.tfstate"),
        _own("region"),
        _own("secret_id", secret=True),
        _own("secret_key", secret=True),
        _own("security_token", secret=True),
        BackendArgument("encrypt", default=True, kind=ArgumentKind.TRUTH),
        BackendArgument("acl", default="private"),
        *truth_arguments("accelerate"),
        *text_arguments("domain", "endpoint"),
        block_argument(
            "assume_role",
            _role("role_arn"),
            _role("session_name"),
            _role("session_duration"),
            *text_arguments("policy"),
        ),
    ),
    _place,
    required=("bucket",),
)
