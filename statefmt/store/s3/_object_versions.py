"""The versions of an object that a versioned bucket keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from statefmt.model.errors import StoreError
from statefmt.store.remote.object_version import ObjectVersion
from statefmt.store.s3._errors import RefusedRequestError
from statefmt.store.s3._objects import Objects, parsed, whole_number

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


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
        # The ID has the wrong form, or is that of a delete marker.
        stored = None
    # Servers without versioning answer with the current version, whose ID is "null", whatever the request says.
    if stored is None or (version_id != "null" and stored.version.version_id != version_id):
        raise StoreError(f"{url}: there is no version {version_id!r}")
    return stored.content


def _pages(objects: Objects, key: str) -> Iterator[Element]:
    query = {"versions": "", "prefix": key}
    while True:
        page = parsed(objects.service.send("ListObjectVersions", "GET", query=query).body, objects.service)
        yield page
        marker = page.findtext("NextKeyMarker", "")
        # Keys come in order: those after this one only begin like it.
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
