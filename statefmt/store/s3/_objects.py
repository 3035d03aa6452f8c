"""Objects in a bucket: read, written and deleted on conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from statefmt.store.s3._errors import RefusedRequestError
from statefmt.store.s3._requests import Requests
from statefmt.store.s3._settings import S3Settings
from statefmt.store.s3._storage import CONTENT_TYPE, access, checksum, customer_key, encryption, kept
from statefmt.store.s3._version import ReadVersion

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client as Boto3S3


@dataclass(frozen=True, slots=True)
class StoredObject:
    """The content of an object and its version."""

    content: bytes
    version: ReadVersion


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of a bucket, stored as the settings say."""

    settings: S3Settings
    s3: Boto3S3
    requests: Requests

    def read(self, key: str, version_id: str = "") -> StoredObject | None:
        """Return an object, or None if there is none. Raises RefusedRequestError and StoreError."""
        arguments: dict[str, Any] = {"Bucket": self.settings.bucket, "Key": key, **customer_key(self.settings)}
        if version_id:
            arguments["VersionId"] = version_id

        def call() -> StoredObject:
            answer = self.s3.get_object(**arguments)
            version = ReadVersion(
                answer.get("ETag", ""),
                answer.get("VersionId", ""),
                kept(answer, self.settings),
                answer.get("TagCount", 0),
            )
            # In here, since an answer may also be lost in its middle.
            return StoredObject(answer["Body"].read(), version)

        try:
            return self.requests.read(call, "GetObject")
        except RefusedRequestError as error:
            if error.is_missing:
                return None
            raise

    def write(self, key: str, content: bytes, condition: dict[str, Any], properties: dict[str, Any]) -> ReadVersion:
        """Write an object on a condition, `IfMatch` or `IfNoneMatch`, or none.

        Raises RefusedRequestError, UnknownOutcomeError and StoreError.
        """
        arguments: dict[str, Any] = {
            **properties,
            **encryption(self.settings),
            **access(self.settings),
            **checksum(self.settings, content),
            **condition,
        }
        answer = self.requests.change(
            lambda: self.s3.put_object(
                Bucket=self.settings.bucket, Key=key, Body=content, ContentType=CONTENT_TYPE, **arguments
            ),
            "PutObject",
        )
        return ReadVersion(answer.get("ETag", ""), answer.get("VersionId", ""))

    def delete(self, key: str, etag: str = "") -> None:
        """Delete an object, if it has the ETag; in a versioned bucket, this adds a delete marker.

        Raises RefusedRequestError, UnknownOutcomeError and StoreError.
        """
        condition: dict[str, Any] = {"IfMatch": etag} if etag else {}
        self.requests.change(
            lambda: self.s3.delete_object(Bucket=self.settings.bucket, Key=key, **condition), "DeleteObject"
        )

    def exists(self, key: str) -> bool:
        """Return whether there is an object. Raises StoreError."""
        arguments: dict[str, Any] = {"Bucket": self.settings.bucket, "Key": key, **customer_key(self.settings)}
        try:
            self.requests.read(lambda: self.s3.head_object(**arguments), "HeadObject")
        except RefusedRequestError as error:
            if error.is_missing:
                return False
            raise
        return True

    def keys(self, prefix: str) -> Iterator[str]:
        """Yield the keys of all objects that start with the prefix. Raises StoreError."""
        arguments: dict[str, Any] = {"Bucket": self.settings.bucket, "Prefix": prefix}
        while True:
            page = self.requests.read(lambda: self.s3.list_objects_v2(**arguments), "ListObjectsV2")
            yield from (found["Key"] for found in page.get("Contents", ()))
            following = page.get("NextContinuationToken")
            if not page.get("IsTruncated") or not following:
                return
            arguments["ContinuationToken"] = following
