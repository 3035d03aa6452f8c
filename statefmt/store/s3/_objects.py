"""Objects in a bucket: read, written and deleted on conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_plus

from statefmt.model.errors import StoreError
from statefmt.store.remote.transport import Answer
from statefmt.store.s3._errors import RefusedRequestError
from statefmt.store.s3._service import AwsService
from statefmt.store.s3._settings import S3Settings
from statefmt.store.s3._storage import CONTENT_TYPE, access, checksum, customer_key, encryption, is_intact, kept_headers
from statefmt.store.s3._version import ReadVersion

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


@dataclass(frozen=True, slots=True)
class StoredObject:
    """The content of an object and its version."""

    content: bytes
    version: ReadVersion


class ListedObject(NamedTuple):
    """An object in a listing, with its size in bytes."""

    key: str
    etag: str
    size: int


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of a bucket, stored as the settings say."""

    settings: S3Settings
    service: AwsService

    def read(self, key: str, version_id: str = "") -> StoredObject | None:
        """Return an object, or None if there is none. Raises RefusedRequestError and StoreError."""
        headers = {
            **customer_key(self.settings),
            **({"x-amz-checksum-mode": "ENABLED"} if self.settings.checksums else {}),
        }
        query = {"versionId": version_id} if version_id else {}
        call = "GetObjectVersion" if version_id else "GetObject"
        try:
            answer = self.service.send(call, "GET", key, query=query, headers=headers)
        except RefusedRequestError as error:
            if error.is_missing:
                return None
            raise
        if not is_intact(answer.body, answer.headers):
            raise StoreError(
                f"s3://{self.settings.bucket}/{key}: what arrived does not have the checksum of the object"
            )
        return StoredObject(answer.body, self._version(answer))

    def write(
        self, key: str, content: bytes, condition: Mapping[str, str], properties: Mapping[str, str]
    ) -> ReadVersion:
        """Write an object on a condition, `if-match` or `if-none-match`, or none, and return its version.

        Raises RefusedRequestError, UnknownOutcomeError and StoreError.
        """
        headers = {
            "content-type": CONTENT_TYPE,
            **properties,
            **encryption(self.settings),
            **access(self.settings),
            **checksum(self.settings, content),
            **condition,
        }
        return self._version(self.service.send("PutObject", "PUT", key, headers=headers, body=content, changes=True))

    def delete(self, key: str, etag: str = "") -> None:
        """Delete an object, if it has the ETag; in a versioned bucket, this adds a delete marker.

        Raises RefusedRequestError, UnknownOutcomeError and StoreError.
        """
        self.service.send("DeleteObject", "DELETE", key, headers={"if-match": etag} if etag else {}, changes=True)

    def version(self, key: str) -> ReadVersion | None:
        """Return the version of an object, None if there is none. Raises StoreError."""
        try:
            return self._version(self.service.send("HeadObject", "HEAD", key, headers=customer_key(self.settings)))
        except RefusedRequestError as error:
            if error.is_missing:
                return None
            raise

    def details(self, call: str, key: str, name: str) -> Element:
        """Return what the bucket knows about an object, `tagging` or `acl`. Raises StoreError."""
        return parsed(self.service.send(call, "GET", key, query={name: ""}).body, self.service)

    def listed(self, prefix: str) -> Iterator[ListedObject]:
        """Yield all objects whose keys start with the prefix. Raises StoreError."""
        # Keys may have characters that XML does not.
        query = {"list-type": "2", "prefix": prefix, "encoding-type": "url"}
        while True:
            page = parsed(self.service.send("ListObjectsV2", "GET", query=query).body, self.service)
            is_encoded = page.findtext("EncodingType") == "url"
            for found in page.iter("Contents"):
                key = found.findtext("Key", "")
                yield ListedObject(
                    unquote_plus(key) if is_encoded else key,
                    found.findtext("ETag", ""),
                    whole_number(found.findtext("Size", "0")),
                )
            following = page.findtext("NextContinuationToken", "")
            if page.findtext("IsTruncated") != "true" or not following:
                return
            if following == query.get("continuation-token"):
                raise StoreError(f"{self.service.subject}: {self.service.host} lists the same objects without an end")
            query["continuation-token"] = following

    def _version(self, answer: Answer) -> ReadVersion:
        headers = answer.headers
        return ReadVersion(
            headers.get("etag", ""), headers.get("x-amz-version-id", ""), kept_headers(headers, self.settings)
        )


def whole_number(text: str) -> int:
    """Return a number of an answer, 0 if it is not one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def parsed(body: bytes, service: AwsService) -> Element:
    """Parse an answer in XML, without the namespace of its elements. Raises StoreError."""
    # Imported late: most commands only read objects.
    from xml.etree import ElementTree

    # S3 writes neither; entities could make a small answer huge.
    if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
        raise StoreError(f"{service.subject}: the answer of {service.host} is not valid XML of S3")
    try:
        root = ElementTree.fromstring(body)
    except (ElementTree.ParseError, ValueError, LookupError):
        # The last two are of encodings that Python does not read, or does not know.
        raise StoreError(f"{service.subject}: the answer of {service.host} is not valid XML") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root
