"""The backend `http`. Source: OpenTofu `internal/backend/remote-state/http/backend.go`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from statefmt.store.backends.description import (
    ArgumentKind,
    BackendArgument,
    BackendType,
    SettingValue,
    SettingValues,
    structured_arguments,
    text_of,
    truth_arguments,
)
from statefmt.store.backends.shown import without_credentials


def _place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return without_credentials(text_of(values, "address"))


def _locks(values: SettingValues, location: str) -> Iterator[str]:
    if address := text_of(values, "lock_address"):
        yield f"{text_of(values, 'lock_method')} {without_credentials(address)}"


def _own(
    name: str, default: SettingValue = None, *, secret: bool = False, kind: ArgumentKind = ArgumentKind.TEXT
) -> BackendArgument:
    return BackendArgument(name, (f"TF_HTTP_{name.upper()}",), default, secret, kind)


BACKEND: Final = BackendType(
    "http",
    (
        _own("address"),
        _own("update_method", "POST"),
        _own("lock_address"),
        _own("lock_method", "LOCK"),
        _own("unlock_address"),
        _own("unlock_method", "UNLOCK"),
        _own("username"),
        _own("password", secret=True),
        *truth_arguments("skip_cert_verification"),
        _own("retry_max", 2, kind=ArgumentKind.NUMBER),
        _own("retry_wait_min", 1, kind=ArgumentKind.NUMBER),
        _own("retry_wait_max", 30, kind=ArgumentKind.NUMBER),
        _own("client_ca_certificate_pem"),
        _own("client_certificate_pem"),
        _own("client_private_key_pem", secret=True),
        *structured_arguments("headers", secret=True),
    ),
    _place,
    required=("address",),
    named_workspaces=False,
    # A location has no values of a query.
    apart=("address",),
    locks=_locks,
    lock_arguments="lock_address and unlock_address",
)
