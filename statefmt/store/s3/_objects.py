"""Reads, writes and deletes objects in a bucket, on conditions, with their versions and storage properties."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, unquote_plus

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.remote.client import ObjectVersion
from statefmt.store.remote.transport import Answer
from statefmt.store.s3._service import AwsService, RefusedRequestError
from statefmt.store.s3._settings import S3Settings

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
    """The objects of a bucket, stored as in the settings."""

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
        """Write an object, optionally on a condition (`if-match` or `if-none-match`), and return its version.

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
        """Return the `tagging` or `acl` of an object. Raises StoreError."""
        return parsed(self.service.send(call, "GET", key, query={name: ""}).body, self.service)

    def listed(self, prefix: str) -> Iterator[ListedObject]:
        """Yield all objects whose keys start with the prefix. Raises StoreError."""
        # Keys may contain characters that XML does not allow.
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
    """Return a number in an answer, 0 if it is invalid."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def parsed(body: bytes, service: AwsService) -> Element:
    """Parse an answer in XML, without the namespace of its elements. Raises StoreError."""
    # Imported late: most commands only read objects.
    from xml.etree import ElementTree

    # S3 writes neither; entities could expand a small answer to a huge one.
    if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
        raise StoreError(f"{service.subject}: the answer of {service.host} is not valid XML of S3")
    try:
        root = ElementTree.fromstring(body)
    except (ElementTree.ParseError, ValueError, LookupError):
        # The last two are about encodings that Python cannot read or does not know.
        raise StoreError(f"{service.subject}: the answer of {service.host} is not valid XML") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def versions_of(objects: Objects, key: str) -> Sequence[ObjectVersion]:
    """Return the versions of an object, newest first; delete markers are not among them. Raises StoreError."""
    return [
        ObjectVersion(
            id=found.findtext("VersionId", ""),
            time=_in_seconds(found.findtext("LastModified", "")),
            size=whole_number(found.findtext("Size", "0")),
            is_current=found.findtext("IsLatest") == "true",
        )
        for page in _pages(objects, key)
        for found in page.iter("Version")
        if found.findtext("Key") == key
    ]


def content_of(objects: Objects, key: str, version_id: str) -> bytes:
    """Return the content of a version. Raises StoreError if there is none with this ID."""
    url = f"s3://{objects.settings.bucket}/{key}"
    try:
        stored = objects.read(key, version_id)
    except RefusedRequestError as error:
        if error.status not in (400, 405):
            raise
        # The ID has the wrong form, or belongs to a delete marker.
        stored = None
    # Servers without versioning answer with the current version, whose ID is "null", for any request.
    if stored is None or (version_id != "null" and stored.version.version_id != version_id):
        raise StoreError(f"{url}: there is no version {version_id!r}")
    return stored.content


def _pages(objects: Objects, key: str) -> Iterator[Element]:
    query = {"versions": "", "prefix": key}
    while True:
        page = parsed(objects.service.send("ListObjectVersions", "GET", query=query).body, objects.service)
        yield page
        marker = page.findtext("NextKeyMarker", "")
        # Keys are sorted: the following keys only have this key as a prefix.
        if page.findtext("IsTruncated") != "true" or marker != key:
            return
        following = page.findtext("NextVersionIdMarker", "")
        if (marker, following) == (query.get("key-marker"), query.get("version-id-marker")):
            raise StoreError(
                f"{objects.service.subject}: {objects.service.host} lists the same versions without an end"
            )
        query["key-marker"] = marker
        query["version-id-marker"] = following


def _in_seconds(time: str) -> str:
    """Return a time of S3, such as 2026-01-02T03:04:05.000Z, without the fraction, which is always 0."""
    whole, point, _ = time.partition(".")
    return f"{whole}Z" if point else time


CONTENT_TYPE: Final = "application/json"
_ENCRYPTION: Final = "x-amz-server-side-encryption"
_CUSTOMER: Final = f"{_ENCRYPTION}-customer"
# Properties that an overwrite would lose, by the header of both answers and requests. They exclude the encoding of the
# content, which belongs to the bytes, and everything that the configuration sets.
_KEPT: Final = frozenset({"cache-control", "content-disposition", "content-language", "x-amz-storage-class"})
_KEPT_ENCRYPTION: Final = frozenset({_ENCRYPTION, f"{_ENCRYPTION}-aws-kms-key-id", f"{_ENCRYPTION}-bucket-key-enabled"})
_METADATA: Final = "x-amz-meta-"


def customer_key(settings: S3Settings) -> dict[str, str]:
    """Return the headers for objects encrypted with the customer's key (SSE-C)."""
    if settings.customer_key is None or not settings.encrypt:
        return {}
    return {
        f"{_CUSTOMER}-algorithm": "AES256",
        f"{_CUSTOMER}-key": base64.b64encode(settings.customer_key).decode(),
        f"{_CUSTOMER}-key-md5": base64.b64encode(
            hashlib.md5(settings.customer_key, usedforsecurity=False).digest()
        ).decode(),
    }


def encryption(settings: S3Settings) -> dict[str, str]:
    """Return the headers for the configured encryption of a new object; none without a configuration."""
    if not settings.encrypt:
        return {}
    if settings.kms_key:
        return {_ENCRYPTION: "aws:kms", f"{_ENCRYPTION}-aws-kms-key-id": settings.kms_key}
    return customer_key(settings) or {_ENCRYPTION: "AES256"}


def checksum(settings: S3Settings, content: bytes) -> dict[str, str]:
    """Return the headers with which the service verifies the received content."""
    if not settings.checksums:
        return {}
    return {
        "x-amz-sdk-checksum-algorithm": "SHA256",
        "x-amz-checksum-sha256": base64.b64encode(hashlib.sha256(content).digest()).decode(),
    }


def is_intact(content: bytes, headers: Mapping[str, str]) -> bool:
    """Return whether a content matches the SHA-256 in its answer, if any."""
    named = headers.get("x-amz-checksum-sha256", "")
    # The checksum of a multipart object is a checksum of checksums: 32 bytes in base64, and a number.
    return len(named) != 44 or named == base64.b64encode(hashlib.sha256(content).digest()).decode()


def tagging(tags: Mapping[str, str] | None) -> dict[str, str]:
    """Return the header that tags an object."""
    if not tags:
        return {}
    return {"x-amz-tagging": "&".join(f"{_escaped(name)}={_escaped(value)}" for name, value in sorted(tags.items()))}


def access(settings: S3Settings) -> dict[str, str]:
    """Return the header with the configured access control list."""
    return {"x-amz-acl": settings.acl} if settings.acl else {}


def kept_headers(headers: Mapping[str, str], settings: S3Settings) -> dict[str, str]:
    """Return the headers of an answer that the next version of the object must have.

    Headers that the configuration sets are omitted.
    """
    names = _KEPT if settings.encrypt else _KEPT | _KEPT_ENCRYPTION
    return {name: value for name, value in headers.items() if value and (name in names or name.startswith(_METADATA))}


def _escaped(text: str) -> str:
    return quote(text, safe="-_.~")


_GRANTS: Final = {
    "FULL_CONTROL": "x-amz-grant-full-control",
    "READ": "x-amz-grant-read",
    "READ_ACP": "x-amz-grant-read-acp",
    "WRITE_ACP": "x-amz-grant-write-acp",
}
# The elements of a grantee, and their names in headers.
_GRANTEES: Final = {"ID": "id", "URI": "uri", "EmailAddress": "emailAddress"}


def kept_properties(
    objects: Objects, key: str, version: ReadVersion | None, note: Callable[[str], None]
) -> dict[str, str]:
    """Return the headers for the next version of an object: the headers and tags of the last version.

    The configuration takes precedence. Prints a note if the user may not read the properties to keep. Raises
    StoreError.
    """
    settings = objects.settings
    if version is None:
        return tagging(settings.state_tags)
    properties = dict(version.kept)
    denied: list[str] = []
    if settings.state_tags:
        properties |= tagging(settings.state_tags)
    else:
        answer = _asked(objects, "GetObjectTagging", key, "tagging", denied)
        tags = () if answer is None else answer.iter("Tag")
        properties |= tagging({tag.findtext("Key", ""): tag.findtext("Value", "") for tag in tags})
    if not settings.acl:
        properties |= _grants(_asked(objects, "GetObjectAcl", key, "acl", denied))
    if denied:
        note(
            f"{objects.service.subject}: without {' and '.join(denied)}, this write removes tags and grants that the "
            "object has of its own, as those of OpenTofu and Terraform do"
        )
    return properties


def _asked(objects: Objects, call: str, key: str, name: str, denied: list[str]) -> Element | None:
    try:
        return objects.details(call, key, name)
    except RefusedRequestError as error:
        if error.is_denied:
            denied.append(f"s3:{call}")
        elif not (error.is_unsupported or error.is_missing or error.status in (400, 404)):
            raise
        # A server without tags and access control lists has none to keep.
        return None


def _grants(answer: Element | None) -> dict[str, str]:
    """Return the grants as headers; none if only the owner has a grant, which is the default."""
    if answer is None:
        return {}
    owner = answer.findtext("Owner/ID", "")
    grants: dict[str, list[str]] = {}
    others = False
    for grant in answer.iter("Grant"):
        header = _GRANTS.get(grant.findtext("Permission", ""))
        grantee = grant.find("Grantee")
        if header is None or grantee is None:
            continue
        kind = next((name for name in _GRANTEES if grantee.findtext(name)), None)
        if kind is None:
            continue
        value = grantee.findtext(kind, "")
        others |= not (kind == "ID" and value == owner)
        grants.setdefault(header, []).append(f'{_GRANTEES[kind]}="{value}"')
    return {header: ", ".join(values) for header, values in grants.items()} if others else {}


def delete_unchanged(objects: Objects, key: str, version: ReadVersion, url: str) -> None:
    """Delete an object if it has this version. Raises ChangedError, UnknownOutcomeError and StoreError.

    Servers without conditional deletion either ignore the condition, or refuse it: then the object is read again, and
    deleted if it is unchanged.
    """
    try:
        objects.delete(key, version.etag)
        return
    except RefusedRequestError as error:
        if not (error.is_condition or error.is_unsupported or error.is_missing):
            raise
    found = objects.read(key)
    if found is None or found.version != version:
        raise ChangedError(f"{url}: it has changed since it was read; nothing was deleted", version.etag)
    objects.delete(key)


@dataclass(frozen=True, slots=True)
class ReadVersion:
    """An ETag, with a version ID in versioned buckets.

    `kept` are the headers that the next version needs to keep its properties.
    """

    etag: str
    version_id: str
    kept: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
