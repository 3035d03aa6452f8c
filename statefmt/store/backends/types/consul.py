"""The backend `consul`. Source: OpenTofu `internal/backend/remote-state/consul/backend.go`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.store.backends.description import (
    DEFAULT_WORKSPACE,
    ArgumentKind,
    BackendArgument,
    BackendType,
    SettingValues,
    text_arguments,
    text_of,
)
from statefmt.store.backends.shown import without_credentials


def _place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    address = text_of(values, "address").partition("://")
    server = without_credentials(f"consul://{address[2] or address[0]}").rstrip("/")
    return f"{server}/{text_of(values, 'path')}" + ("" if workspace == DEFAULT_WORKSPACE else f"-env:{workspace}")


BACKEND: Final = BackendType(
    "consul",
    (
        *text_arguments("path"),
        BackendArgument("access_token", ("CONSUL_HTTP_TOKEN",), secret=True),
        BackendArgument("address", ("CONSUL_HTTP_ADDR",), "127.0.0.1:8500"),
        *text_arguments("scheme", "datacenter"),
        BackendArgument("http_auth", ("CONSUL_HTTP_AUTH",), secret=True),
        BackendArgument("gzip", default=False, kind=ArgumentKind.TRUTH),
        BackendArgument("lock", default=True, kind=ArgumentKind.TRUTH),
        BackendArgument("ca_file", ("CONSUL_CACERT",)),
        BackendArgument("cert_file", ("CONSUL_CLIENT_CERT",)),
        BackendArgument("key_file", ("CONSUL_CLIENT_KEY",)),
    ),
    _place,
    required=("path",),
)
