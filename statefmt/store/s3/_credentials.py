"""Finds credentials as OpenTofu and Terraform do, in the environment of a run.

Source: `github.com/hashicorp/aws-sdk-go-base` (GetAwsConfig), and the default chain of the AWS SDK.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.remote.connection import Connection
from statefmt.store.s3._settings import Given
from statefmt.store.s3._sigv4 import AwsKeys

_WEB: Final = "assume_role_with_web_identity"
_KEYS: Final = ("access_key", "secret_key", "token")


def keys_of(given: Given, connection: Connection, subject: str) -> Callable[[], AwsKeys]:
    """Return what gives the credentials for each request. Raises StoreError, which names the `subject`.

    The first of these: keys that are written, a web identity that is written, a profile that is written; then keys, a
    web identity and a profile of the environment; then the files of the user, a container, an instance.
    """
    written = {name for name in _KEYS if _is_written(given, name)}
    keys = None
    if written:
        if not {"access_key", "secret_key"} <= written:
            raise StoreError(f"{given.where(min(written))}: access_key and secret_key must be set both")
        keys = _keys(given, with_token="token" in written)
    web_identity = keys is None and any(
        _is_written(given, f"{_WEB}.{name}") for name in ("role_arn", "web_identity_token", "web_identity_token_file")
    )
    if keys is None and not web_identity and not _is_written(given, "profile"):
        if given.text("access_key") and given.text("secret_key"):
            keys = _keys(given, with_token=True)
        else:
            web_identity = bool(given.text(f"{_WEB}.web_identity_token_file") and given.text(f"{_WEB}.role_arn"))
    needs_sdk = any(
        given.value(name)
        for name in ("assume_role.role_arn", "role_arn", "allowed_account_ids", "forbidden_account_ids")
    )
    if keys is not None and not needs_sdk:
        return lambda: keys
    # Imported late: it takes longer than all the rest of a command.
    try:
        from statefmt.store.s3._sdk_credentials import found_keys
    except ModuleNotFoundError as error:
        from statefmt.installation import how_to_install

        raise StoreError(
            f"{subject}: finding AWS credentials needs the package {error.name}: {how_to_install('s3')}"
        ) from None

    return found_keys(given, connection, keys, web_identity, subject)


def _is_written(given: Given, name: str) -> bool:
    """Return whether an option or a file sets an argument, and not a variable."""
    setting = given.by_name.get(name)
    return setting is not None and setting.source != "environment" and setting.value not in (None, "")


def _keys(given: Given, *, with_token: bool) -> AwsKeys:
    return AwsKeys(given.text("access_key"), given.text("secret_key"), given.text("token") if with_token else "")
