"""The services of one state, S3 and DynamoDB, with the credentials and the way to them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Final

import msgspec

from statefmt.model.errors import StoreError
from statefmt.store.backends.place import StatePlace
from statefmt.store.remote.connection import Connection
from statefmt.store.remote.retries import Retries
from statefmt.store.remote.tls import TlsSettings
from statefmt.store.remote.transport import Transport
from statefmt.store.s3._approach import approach_service
from statefmt.store.s3._configured_endpoint import configured_url
from statefmt.store.s3._credentials import keys_of
from statefmt.store.s3._endpoints import Endpoint, aws_endpoint, bucket_url, custom_endpoint
from statefmt.store.s3._service import AwsService
from statefmt.store.s3._settings import Given, s3_settings
from statefmt.store.s3._sigv4 import AwsKeys
from statefmt.store.small_files import read_bounded

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
