"""Makes sure that the credentials are of an account that the configuration allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.model.errors import StoreError
from statefmt.store.s3._settings import Given

if TYPE_CHECKING:
    from statefmt.store.s3._session import EnvironmentSession


def check_account(session: EnvironmentSession, given: Given) -> None:
    """Compare the account with allowed_account_ids and forbidden_account_ids. Raises StoreError and ClientError."""
    allowed, forbidden = given.texts("allowed_account_ids"), given.texts("forbidden_account_ids")
    if not allowed and not forbidden:
        return
    client = session.create_client("sts")
    account = str(client.get_caller_identity()["Account"])
    client.close()
    if allowed and account not in allowed:
        raise StoreError(f"{given.where('allowed_account_ids')}: the account {account} is not in allowed_account_ids")
    if account in forbidden:
        raise StoreError(f"{given.where('forbidden_account_ids')}: the account {account} is in forbidden_account_ids")
