"""The object with the state: read with its digest, and written only over the version that was read.

Source: OpenTofu `internal/backend/remote-state/s3/client.go` (Get, Put, Delete).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.protocol import Stored
from statefmt.store.remote.client import UnknownOutcomeError
from statefmt.store.s3._endpoints import is_of_aws
from statefmt.store.s3._errors import RefusedRequestError
from statefmt.store.s3._objects import Objects, StoredObject
from statefmt.store.s3._version import ReadVersion

if TYPE_CHECKING:
    from statefmt.store.s3._dynamodb import LockTable

# An ETag that no object has.
_WRONG_ETAG: Final = f'"{"0" * 32}"'
# In seconds, as OpenTofu waits for the content that a digest is of.
_DIGEST_TIMEOUT: Final = 10.0
_DIGEST_WAIT: Final = 2.0


@dataclass(frozen=True, slots=True)
class StateObject:
    """One state. `note` reports what a user should know though it stops nothing."""

    location: str
    objects: Objects
    table: LockTable | None
    note: Callable[[str], None]

    @property
    def _key(self) -> str:
        return self.objects.settings.key

    def read(self) -> Stored | None:
        """Return the content and its version, None if the state does not exist. Raises StoreError."""
        until = time.monotonic() + _DIGEST_TIMEOUT
        while True:
            stored = self.objects.read(self._key)
            wanted = self._digest()
            # As OpenTofu sees it, an empty object has no state, and its digest is "".
            found = _md5(stored.content) if stored is not None and stored.content else ""
            if wanted is None or self.table is None or wanted == found:
                return Stored(stored.content, stored.version) if stored is not None and stored.content else None
            if time.monotonic() >= until:
                raise StoreError(self._mismatch(self.table, wanted, found))
            time.sleep(_DIGEST_WAIT)

    def write(self, content: bytes, expected: ReadVersion | None, *, is_locked: bool) -> None:
        """Write the content over the version that was read, then the digest.

        Raises ChangedError, UnknownOutcomeError and StoreError.
        """
        from statefmt.store.s3._kept import kept_properties

        properties = kept_properties(self.objects, self._key, expected, self.note)
        if expected is not None and not is_locked and not is_of_aws(self.objects.service.host):
            self._check_conditions(expected, properties)
        try:
            written = self.objects.write(self._key, content, _condition(expected), properties)
            self._verify(content, written)
        except RefusedRequestError as error:
            if not (error.is_condition or error.is_unsupported or error.is_missing):
                raise
            self._write_after_refusal(content, expected, properties, is_locked=is_locked)
        except UnknownOutcomeError:
            # Without its digest, nobody could read the state.
            if not self._has(content):
                raise
        self._write_digest(content)

    def delete(self, expected: ReadVersion) -> None:
        """Delete the state with this version, and its digest. Raises ChangedError and StoreError."""
        from statefmt.store.s3._deletion import delete_unchanged

        # Many servers ignore the condition of a deletion.
        if self.objects.version(self._key) != expected:
            raise ChangedError(
                f"{self.location}: the state has changed since it was read; nothing was deleted", expected.etag
            )
        delete_unchanged(self.objects, self._key, expected, self.location)
        if self.table is not None:
            self.table.delete_digest()

    def _check_conditions(self, expected: ReadVersion, properties: dict[str, str]) -> None:
        """Make sure that a write with a wrong ETag is refused, since some servers ignore the condition.

        The request has the content of the object: a server that ignores the condition changes nothing. Raises
        StoreError.
        """
        found = self.objects.read(self._key)
        if found is None or not _is_expected(found, expected):
            raise self._changed(expected)
        try:
            self.objects.write(self._key, found.content, {"if-match": _WRONG_ETAG}, properties)
        except UnknownOutcomeError as error:
            raise StoreError(
                f"{self.location}: {error}; this request changes nothing, and nothing was written"
            ) from None
        except RefusedRequestError as error:
            if error.is_condition or error.is_unsupported:
                return
            raise
        raise StoreError(
            f"{self.location}: the server {self.objects.service.host} ignores the condition If-Match, and nothing "
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
        """Find out why the server refused the condition, by reading; write under the lock if it knows none.

        Raises ChangedError if the object has changed.
        """
        found = self.objects.read(self._key)
        if found is not None and found.content == content:
            # An earlier attempt had its effect.
            return
        if not _is_expected(found, expected):
            raise self._changed(expected)
        if found is not None and expected is None:
            # An empty object, which OpenTofu does not take for a state.
            self.objects.write(self._key, content, {"if-match": found.version.etag}, properties)
            return
        if not is_locked:
            raise StoreError(
                f"{self.location}: the server {self.objects.service.host} knows no conditional writes, and the state "
                "is not locked; nothing was written"
            )
        self.note(
            f"{self.location}: the server knows no conditional writes; the state was read again, and only the lock "
            "protects the write"
        )
        self.objects.write(self._key, content, {}, properties)

    def _verify(self, content: bytes, written: ReadVersion) -> None:
        """Make sure that the server has what it says it has written. Raises UnknownOutcomeError, also if that fails."""
        host = self.objects.service.host
        try:
            found = self.objects.version(self._key)
        except StoreError as error:
            raise UnknownOutcomeError(
                f"{self.location}: {host} said that it had written the state, but it could not be read again: {error}"
            ) from None
        if found is None or not found.etag or found.etag != written.etag:
            raise UnknownOutcomeError(
                f"{self.location}: {host} said that it had written the state, but it does not have it"
            )

    def _has(self, content: bytes) -> bool:
        """Return whether the state has a content; False if that cannot be found out."""
        try:
            found = self.objects.read(self._key)
        except StoreError:
            return False
        return found is not None and found.content == content

    def _digest(self) -> str | None:
        if self.table is None:
            return None
        try:
            return self.table.digest()
        except RefusedRequestError as error:
            if not error.is_denied:
                raise
            # OpenTofu goes on too.
            self.note(f"{error}; the digest of the state was not checked")
            return None

    def _write_digest(self, content: bytes) -> None:
        if self.table is None:
            return
        digest = _md5(content)
        try:
            self.table.write_digest(digest)
        except StoreError as error:
            raise StoreError(
                f"{self.location}: the state was written, but its digest was not: {error}. Until it is, OpenTofu, "
                f"Terraform and statetool refuse the state: {self._remedy(self.table, digest)}"
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


def _condition(expected: ReadVersion | None) -> dict[str, str]:
    return {"if-none-match": "*"} if expected is None else {"if-match": expected.etag}


def _is_expected(found: StoredObject | None, expected: ReadVersion | None) -> bool:
    if expected is None:
        return found is None or not found.content
    return found is not None and found.version == expected


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()
