"""How objects are stored: encryption, checksums, access control lists and tags, as headers of requests.

Source: OpenTofu `internal/backend/remote-state/s3/client.go` (configurePutObject…).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from statefmt.store.s3._settings import S3Settings

CONTENT_TYPE: Final = "application/json"
_ENCRYPTION: Final = "x-amz-server-side-encryption"
_CUSTOMER: Final = f"{_ENCRYPTION}-customer"
# What an overwrite would lose, by the header that both answers and requests have. Not among them: the encoding of the
# content, which is that of the bytes, and everything that the configuration decides.
_KEPT: Final = frozenset({"cache-control", "content-disposition", "content-language", "x-amz-storage-class"})
_KEPT_ENCRYPTION: Final = frozenset({_ENCRYPTION, f"{_ENCRYPTION}-aws-kms-key-id", f"{_ENCRYPTION}-bucket-key-enabled"})
_METADATA: Final = "x-amz-meta-"


def customer_key(settings: S3Settings) -> dict[str, str]:
    """Return the headers that read and write an object encrypted with the customer's key (SSE-C)."""
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
    """Return the headers that encrypt a new object as the configuration says; none if it says nothing."""
    if not settings.encrypt:
        return {}
    if settings.kms_key:
        return {_ENCRYPTION: "aws:kms", f"{_ENCRYPTION}-aws-kms-key-id": settings.kms_key}
    return customer_key(settings) or {_ENCRYPTION: "AES256"}


def checksum(settings: S3Settings, content: bytes) -> dict[str, str]:
    """Return the headers with which the service checks what it receives."""
    if not settings.checksums:
        return {}
    return {
        "x-amz-sdk-checksum-algorithm": "SHA256",
        "x-amz-checksum-sha256": base64.b64encode(hashlib.sha256(content).digest()).decode(),
    }


def is_intact(content: bytes, headers: Mapping[str, str]) -> bool:
    """Return whether a content has the SHA-256 that its answer names, if it names one."""
    named = headers.get("x-amz-checksum-sha256", "")
    # Of an object that was written in parts, it is the checksum of their checksums: 32 bytes in base64, and a number.
    return len(named) != 44 or named == base64.b64encode(hashlib.sha256(content).digest()).decode()


def tagging(tags: Mapping[str, str] | None) -> dict[str, str]:
    """Return the header that tags an object."""
    if not tags:
        return {}
    return {"x-amz-tagging": "&".join(f"{_escaped(name)}={_escaped(value)}" for name, value in sorted(tags.items()))}


def access(settings: S3Settings) -> dict[str, str]:
    """Return the header with the access control list of the configuration."""
    return {"x-amz-acl": settings.acl} if settings.acl else {}


def kept_headers(headers: Mapping[str, str], settings: S3Settings) -> dict[str, str]:
    """Return the headers of an answer with which the next version of the object must be written.

    What the configuration sets is not among them.
    """
    names = _KEPT if settings.encrypt else _KEPT | _KEPT_ENCRYPTION
    return {name: value for name, value in headers.items() if value and (name in names or name.startswith(_METADATA))}


def _escaped(text: str) -> str:
    return quote(text, safe="-_.~")
