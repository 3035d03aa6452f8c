"""The client of the backend `s3`: the object of one state, its lock, the workspaces, credentials and endpoints."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.backends.settings import StatePlace
from statefmt.store.files import read_bounded
from statefmt.store.protocol import LockInfo, Stored
from statefmt.store.remote.client import Connection, ListedState, Retries, UnknownOutcomeError
from statefmt.store.remote.tls import TlsSettings
from statefmt.store.remote.transport import Transport
from statefmt.store.s3._objects import (
    ListedObject,
    Objects,
    ReadVersion,
    StoredObject,
    content_of,
    delete_unchanged,
    kept_properties,
    versions_of,
)
from statefmt.store.s3._service import AwsKeys, AwsService, RefusedRequestError
from statefmt.store.s3._settings import (
    LARGEST,
    Endpoint,
    Given,
    approach_service,
    aws_endpoint,
    aws_files,
    bucket_url,
    custom_endpoint,
    is_of_aws,
    s3_settings,
)

if TYPE_CHECKING:
    from statefmt.store.remote.client import ObjectVersion
    from statefmt.store.s3._locks import LockTable, S3Locks


# An ETag that matches no object.
_WRONG_ETAG: Final = f'"{"0" * 32}"'
# In seconds, the time that OpenTofu waits for the content of a digest.
_DIGEST_TIMEOUT: Final = 10.0
_DIGEST_WAIT: Final = 2.0


class S3Client:
    """A connection to one state; see StateClient. It connects on first use, and keeps its connections."""

    def __init__(self, place: StatePlace, connection: Connection) -> None:
        self._place = place
        self._connection = connection
        self._services = Services(place, connection)

    @property
    def location(self) -> str:
        return self._place.location

    @property
    def lock_path(self) -> str:
        """The `Path` of lock information: BUCKET/KEY."""
        return self._services.settings.path

    @property
    def is_locking(self) -> bool:
        return self._services.settings.lock_file or bool(self._services.settings.table)

    def read(self) -> Stored | None:
        """Return the content and its version, a ReadVersion; None if the state does not exist."""
        until = time.monotonic() + _DIGEST_TIMEOUT
        while True:
            stored = self._objects.read(self._key)
            wanted = self._digest()
            # For OpenTofu, an empty object means no state, and its digest is "".
            found = _md5(stored.content) if stored is not None and stored.content else ""
            if wanted is None or self._table is None or wanted == found:
                return Stored(stored.content, stored.version) if stored is not None and stored.content else None
            if time.monotonic() >= until:
                raise StoreError(self._mismatch(self._table, wanted, found))
            time.sleep(_DIGEST_WAIT)

    def lock(self, info: LockInfo) -> None:
        self._locks.acquire(info)

    def holder(self) -> LockInfo | None:
        return self._locks.holder()

    def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
        """Write the content over the version that was read, then the digest."""
        version, is_locked = _version(expected), lock is not None
        properties = kept_properties(self._objects, self._key, version, self._connection.note)
        if version is not None and not is_locked and not is_of_aws(self._objects.service.host):
            self._check_conditions(version, properties)
        try:
            condition = {"if-none-match": "*"} if version is None else {"if-match": version.etag}
            written = self._objects.write(self._key, content, condition, properties)
            self._verify(content, written)
        except RefusedRequestError as error:
            if not (error.is_condition or error.is_unsupported or error.is_missing):
                raise
            self._write_after_refusal(content, version, properties, is_locked=is_locked)
        except UnknownOutcomeError:
            # Without the digest, no program could read the state.
            if not self._has(content):
                raise
        self._write_digest(content)

    def unlock(self, info: LockInfo) -> None:
        self._locks.release(info)

    def force_unlock(self, lock_id: str) -> LockInfo | None:
        return self._locks.remove(lock_id)

    def workspaces(self) -> Sequence[str]:
        return sorted(name for name, _ in workspace_objects(self._objects))

    def states_below(self, prefix: str) -> Iterator[ListedState]:
        """Yield the objects `*.tfstate` whose keys start with a prefix."""
        for found in self._objects.listed(prefix):
            if not found.key.endswith(_SUFFIX):
                continue
            place = self._place.moved(self._connection.environment, DEFAULT_WORKSPACE, key=found.key)
            yield ListedState(place, found.etag, found.size)

    def workspace_states(self) -> Iterator[ListedState]:
        for workspace, found in workspace_objects(self._objects):
            place = self._place.moved(self._connection.environment, workspace)
            yield ListedState(place, found.etag, found.size)

    def delete(self, expected: Hashable) -> None:
        """Delete the state with this version, and its digest; a versioned bucket gets a delete marker."""
        version = _version(expected)
        if version is None:
            raise ValueError(expected)
        # Many servers ignore the condition of a deletion.
        if self._objects.version(self._key) != version:
            raise ChangedError(
                f"{self.location}: the state has changed since it was read; nothing was deleted", version.etag
            )
        delete_unchanged(self._objects, self._key, version, self.location)
        if self._table is not None:
            self._table.delete_digest()

    def object_versions(self) -> Sequence[ObjectVersion]:
        return versions_of(self._objects, self._key)

    def read_version(self, version_id: str) -> bytes:
        return content_of(self._objects, self._key, version_id)

    def close(self) -> None:
        self._services.close()

    @cached_property
    def _objects(self) -> Objects:
        return Objects(self._services.settings, self._services.s3)

    @cached_property
    def _table(self) -> LockTable | None:
        settings = self._services.settings
        if not settings.table:
            return None
        from statefmt.store.s3._locks import LockTable

        return LockTable(settings.table, settings.path, self._services.dynamodb)

    @cached_property
    def _locks(self) -> S3Locks:
        from statefmt.store.s3._locks import LockFile, S3Locks

        file = LockFile(self._objects) if self._services.settings.lock_file else None
        return S3Locks(self.location, file, self._table)

    @property
    def _key(self) -> str:
        return self._services.settings.key

    def _check_conditions(self, expected: ReadVersion, properties: dict[str, str]) -> None:
        """Check that the server refuses a write with a wrong ETag, since some servers ignore the condition.

        The request has the content of the object: a server that ignores the condition changes nothing. Raises
        StoreError.
        """
        found = self._objects.read(self._key)
        if found is None or not _is_expected(found, expected):
            raise self._changed(expected)
        try:
            self._objects.write(self._key, found.content, {"if-match": _WRONG_ETAG}, properties)
        except UnknownOutcomeError as error:
            raise StoreError(
                f"{self.location}: {error}; this request changes nothing, and nothing was written"
            ) from None
        except RefusedRequestError as error:
            if error.is_condition or error.is_unsupported:
                return
            raise
        raise StoreError(
            f"{self.location}: the server {self._objects.service.host} ignores the condition If-Match, and nothing "
            "locks this state: what somebody else writes at the same time would be lost. Nothing was written. Use a "
            "DynamoDB table (`dynamodb_table`) as the lock, or another server"
        )

    def _changed(self, expected: ReadVersion | None) -> ChangedError:
        return ChangedError(
            f"{self.location}: the state has changed since it was read; nothing was written",
            expected.etag if expected else "",
        )

    def _write_after_refusal(
        self, content: bytes, expected: ReadVersion | None, properties: dict[str, str], *, is_locked: bool
    ) -> None:
        """Find the reason of a refused condition by reading; write under the lock if the server has no conditions.

        Raises ChangedError if the object has changed.
        """
        found = self._objects.read(self._key)
        if found is not None and found.content == content:
            # An earlier attempt succeeded.
            return
        if not _is_expected(found, expected):
            raise self._changed(expected)
        if found is not None and expected is None:
            # OpenTofu does not accept an empty object as a state.
            self._objects.write(self._key, content, {"if-match": found.version.etag}, properties)
            return
        if not is_locked:
            raise StoreError(
                f"{self.location}: the server {self._objects.service.host} knows no conditional writes, and the state "
                "is not locked; nothing was written"
            )
        self._connection.note(
            f"{self.location}: the server knows no conditional writes; the state was read again, and only the lock "
            "protects the write"
        )
        self._objects.write(self._key, content, {}, properties)

    def _verify(self, content: bytes, written: ReadVersion) -> None:
        """Check that the server has the confirmed content. Raises UnknownOutcomeError, also if the check fails."""
        host = self._objects.service.host
        try:
            found = self._objects.version(self._key)
        except StoreError as error:
            raise UnknownOutcomeError(
                f"{self.location}: {host} said that it had written the state, but it could not be read again: {error}"
            ) from None
        if found is None or not found.etag or found.etag != written.etag:
            raise UnknownOutcomeError(
                f"{self.location}: {host} said that it had written the state, but it does not have it"
            )

    def _has(self, content: bytes) -> bool:
        """Return whether the state has a content; False if the check fails."""
        try:
            found = self._objects.read(self._key)
        except StoreError:
            return False
        return found is not None and found.content == content

    def _digest(self) -> str | None:
        if self._table is None:
            return None
        try:
            return self._table.digest()
        except RefusedRequestError as error:
            if not error.is_denied:
                raise
            # OpenTofu continues, too.
            self._connection.note(f"{error}; the digest of the state was not checked")
            return None

    def _write_digest(self, content: bytes) -> None:
        if self._table is None:
            return
        digest = _md5(content)
        try:
            self._table.write_digest(digest)
        except StoreError as error:
            raise StoreError(
                f"{self.location}: the state was written, but its digest was not: {error}. Until it is, OpenTofu, "
                f"Terraform and statetool refuse the state: {self._remedy(self._table, digest)}"
            ) from None

    def _mismatch(self, table: LockTable, wanted: str, found: str) -> str:
        content = f"the MD5 of the state is {found}" if found else "the state does not exist"
        return (
            f"{self.location}: the digest in the DynamoDB table {table.table!r} is {wanted}, but {content}. A write "
            "was interrupted, or the store gives an old version. If this lasts for minutes, and the state is right, "
            f"correct the digest: {self._remedy(table, found)}"
        )

    def _remedy(self, table: LockTable, digest: str) -> str:
        if not digest:
            return f"delete the item with the LockID {table.digest_key!r}"
        return f"set the attribute Digest of the item with the LockID {table.digest_key!r} to {digest}"


def _version(expected: Hashable | None) -> ReadVersion | None:
    if expected is None or isinstance(expected, ReadVersion):
        return expected
    raise TypeError(expected)


def _is_expected(found: StoredObject | None, expected: ReadVersion | None) -> bool:
    if expected is None:
        return found is None or not found.content
    return found is not None and found.version == expected


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


_SUFFIX: Final = ".tfstate"


def workspace_objects(objects: Objects) -> Iterator[tuple[str, ListedObject]]:
    """Yield each workspace and the object of its state. Raises StoreError."""
    settings = objects.settings
    # In key order, the object itself precedes objects with a longer key.
    own = next(objects.listed(settings.base_key), None)
    if own is not None and own.key == settings.base_key:
        yield DEFAULT_WORKSPACE, own
    start = f"{settings.workspace_prefix}/" if settings.workspace_prefix else ""
    end = f"/{settings.base_key}"
    for found in objects.listed(start):
        name = found.key[len(start) : -len(end)]
        if found.key.endswith(end) and "/" not in name and name not in ("", DEFAULT_WORKSPACE):
            yield name, found


# In seconds: the wait before the second attempt, and the longest wait.
_FIRST_WAIT: Final = 0.2
_LONGEST_WAIT: Final = 20.0
# In bytes; systems have a few hundred thousand bytes.
_LARGEST_BUNDLE: Final = 16 << 20


class Services:
    """The AWS services of one place. Finds credentials and connects on first use, and caches both."""

    def __init__(self, place: StatePlace, connection: Connection) -> None:
        self.settings = s3_settings(place)
        self._given = Given.of(place)
        self._subject = place.location
        # Of requests whose URLs contain the key.
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
        if "_transport" in self.__dict__:
            self._transport.close()

    @cached_property
    def _transport(self) -> Transport:
        retries = Retries(self.settings.most_retries, _FIRST_WAIT, _LONGEST_WAIT)
        return Transport(self._connection, tls_settings(self._given), retries)

    @cached_property
    def _keys(self) -> Callable[[], AwsKeys]:
        kept = self._connection.credentials
        # Not cached across a fork: the connection to a server may be open in the parent process.
        same = msgspec.json.encode([os.getpid(), [one for one in self._given.by_name.values() if one.name != "key"]])
        if same not in kept:
            kept[same] = keys_of(self._given, self._connection, self._subject)
        return kept[same]

    def _approached(self, service: str) -> Endpoint:
        """Return the endpoint of a service. Raises StoreError if it must not receive the user's credentials."""
        environment = self._connection.environment
        endpoint = custom_endpoint(self._given, service, environment)
        if endpoint is None:
            url = configured_url(self._given, self._connection, service)
            endpoint = Endpoint(url.rstrip("/")) if url else aws_endpoint(self._given, service, environment)
        approach_service(self._connection, self._given, endpoint.url, endpoint.argument)
        return endpoint


def with_proxies(connection: Connection, given: Given) -> Connection:
    """Return a connection with the proxies of the settings, which take precedence over the variables."""
    environment = dict(connection.environment)
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        if value := given.text(name):
            environment[name.upper()] = value
            # The configuration is not a client of a web server.
            environment.pop("REQUEST_METHOD", None)
    return replace(connection, environment=environment)


def tls_settings(given: Given) -> TlsSettings:
    """Return the TLS settings. Raises StoreError if the certificates cannot be read."""
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
    """Return a function that supplies the credentials for each request. Raises StoreError, which names the `subject`.

    In order of precedence: keys, a web identity and a profile in the settings; keys, a web identity and a profile in
    the environment; the user's files, a container, an instance.
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
    # Imported late: the import takes longer than the rest of a command.
    try:
        from statefmt.store.s3._session import found_keys
    except ModuleNotFoundError as error:
        from statefmt.installation import how_to_install

        raise StoreError(
            f"{subject}: finding AWS credentials needs the package {error.name}: {how_to_install('s3')}"
        ) from None

    return found_keys(given, connection, keys, web_identity, subject)


def _is_written(given: Given, name: str) -> bool:
    setting = given.by_name.get(name)
    return setting is not None and setting.source != "environment" and setting.value not in (None, "")


def _keys(given: Given, *, with_token: bool) -> AwsKeys:
    return AwsKeys(given.text("access_key"), given.text("secret_key"), given.text("token") if with_token else "")


def configured_url(given: Given, connection: Connection, service: str) -> str | None:
    """Return the endpoint of a service in the user's own configuration file. Raises StoreError."""
    files = aws_files(given, connection.environment)
    if files.named_by is not None:
        return None
    try:
        if b"endpoint_url" not in read_bounded(files.config, LARGEST, pipes=True):
            return None
    except OSError:
        # The SDK continues without the file, too.
        return None
    from statefmt.store.s3._session import SDK_ERRORS, EnvironmentSession, sdk_problem

    session = EnvironmentSession(given, connection)
    try:
        session.prepare()
        return session.configured_url(service)
    except SDK_ERRORS as error:
        raise StoreError(f"{files.config}: {sdk_problem(error)}") from None
