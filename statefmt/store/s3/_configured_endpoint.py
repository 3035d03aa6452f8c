"""Endpoints in the configuration file of the user."""

from __future__ import annotations

from statefmt.model.errors import StoreError
from statefmt.store.remote.connection import Connection
from statefmt.store.s3._files import LARGEST, aws_files
from statefmt.store.s3._settings import Given
from statefmt.store.small_files import read_bounded


def configured_url(given: Given, connection: Connection, service: str) -> str | None:
    """Return the endpoint that the user's own configuration file sets for a service. Raises StoreError."""
    files = aws_files(given, connection.environment)
    if files.named_by is not None:
        return None
    try:
        if b"endpoint_url" not in read_bounded(files.config, LARGEST, pipes=True):
            return None
    except OSError:
        # The SDK goes on without the file too.
        return None
    from statefmt.store.s3._sdk_errors import SDK_ERRORS, sdk_problem
    from statefmt.store.s3._session import EnvironmentSession

    session = EnvironmentSession(given, connection)
    try:
        session.prepare()
        return session.configured_url(service)
    except SDK_ERRORS as error:
        raise StoreError(f"{files.config}: {sdk_problem(error)}") from None
