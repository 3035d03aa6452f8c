"""The services of one state, S3 and DynamoDB, with their credentials and endpoints."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Final

import msgspec

from statefmt.model.errors import StoreError
from statefmt.store.backends.settings import StatePlace
from statefmt.store.files import read_bounded
from statefmt.store.remote.client import Connection, Retries
from statefmt.store.remote.tls import TlsSettings
from statefmt.store.remote.transport import Transport
from statefmt.store.s3._service import AwsKeys, AwsService
from statefmt.store.s3._settings import (
    LARGEST,
    Endpoint,
    Given,
    approach_service,
    aws_endpoint,
    aws_files,
    bucket_url,
    custom_endpoint,
    s3_settings,
)

# In seconds, before the second attempt, and at most.
_FIRST_WAIT: Final = 0.2
_LONGEST_WAIT: Final = 20.0
# In bytes; systems have a few hundred thousand.
_LARGEST_BUNDLE: Final = 16 << 20


class Services:
    """The services of one place. It finds credentials and connects when they are used, and keeps what it has made."""

    def __init__(self, place: StatePlace, connection: Connection) -> None:
        self.settings = s3_settings(place)
        self._given = Given.of(place)
        self._subject = place.location
        # Of requests, whose URLs have the key.
        self._label = place.location if place.exact else ""
        self._connection = with_proxies(connection, self._given)

    @cached_property
    def s3(self) -> AwsService:
        """The bucket. Raises StoreError."""
        endpoint = self._approached("s3")
        url = bucket_url(endpoint, self.settings.bucket, path_style=self.settings.path_style)
        return AwsService(self._subject, "s3", url, self.settings.region, self._keys, self._transport, self._label)

    @cached_property
    def dynamodb(self) -> AwsService:
        """DynamoDB. Raises StoreError."""
        url = self._approached("dynamodb").url
        return AwsService(
            self._subject, "dynamodb", url, self.settings.region, self._keys, self._transport, self._label
        )

    def close(self) -> None:
        """Close the connections."""
        if "_transport" in self.__dict__:
            self._transport.close()

    @cached_property
    def _transport(self) -> Transport:
        retries = Retries(self.settings.most_retries, _FIRST_WAIT, _LONGEST_WAIT)
        return Transport(self._connection, tls_settings(self._given), retries)

    @cached_property
    def _keys(self) -> Callable[[], AwsKeys]:
        kept = self._connection.credentials
        # Not those of a process that forked this one: their way to a server may be open.
        same = msgspec.json.encode([os.getpid(), [one for one in self._given.by_name.values() if one.name != "key"]])
        if same not in kept:
            kept[same] = keys_of(self._given, self._connection, self._subject)
        return kept[same]

    def _approached(self, service: str) -> Endpoint:
        """Return the endpoint of a service. Raises StoreError if it must not have the user's credentials."""
        environment = self._connection.environment
        endpoint = custom_endpoint(self._given, service, environment)
        if endpoint is None:
            url = configured_url(self._given, self._connection, service)
            endpoint = Endpoint(url.rstrip("/")) if url else aws_endpoint(self._given, service, environment)
        approach_service(self._connection, self._given, endpoint.url, endpoint.argument)
        return endpoint


def with_proxies(connection: Connection, given: Given) -> Connection:
    """Return a connection with the proxies of the settings, each of which wins over its variable."""
    environment = dict(connection.environment)
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        if value := given.text(name):
            environment[name.upper()] = value
            # What the configuration says is not what a client of a web server sent.
            environment.pop("REQUEST_METHOD", None)
    return replace(connection, environment=environment)


def tls_settings(given: Given) -> TlsSettings:
    """Return how servers are verified. Raises StoreError if the certificates cannot be read."""
    name = given.text("custom_ca_bundle")
    authorities = ""
    if name:
        try:
            authorities = read_bounded(name, _LARGEST_BUNDLE).decode()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise StoreError(f"{given.where('custom_ca_bundle')}: {name}: {reason}") from None
    return TlsSettings(authorities=authorities, verifies=not given.truth("insecure"))


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
        from statefmt.store.s3._session import found_keys
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
    from statefmt.store.s3._session import SDK_ERRORS, EnvironmentSession, sdk_problem

    session = EnvironmentSession(given, connection)
    try:
        session.prepare()
        return session.configured_url(service)
    except SDK_ERRORS as error:
        raise StoreError(f"{files.config}: {sdk_problem(error)}") from None
