"""How objects are stored: encryption, checksums, access control lists and tags, as arguments of requests.

Source: OpenTofu `internal/backend/remote-state/s3/client.go` (configurePutObject…).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from statefmt.store.s3._settings import S3Settings

CONTENT_TYPE: Final = "application/json"
# What an overwrite would lose, by the member of an answer and the argument of a request alike. Not among them: the
# encoding of the content, which is that of the bytes, and everything that the configuration decides.
_KEPT: Final = ("CacheControl", "ContentDisposition", "ContentLanguage", "Metadata", "StorageClass")
_KEPT_ENCRYPTION: Final = ("ServerSideEncryption", "SSEKMSKeyId", "BucketKeyEnabled")


def customer_key(settings: S3Settings) -> dict[str, object]:
    """Return the arguments that read an object encrypted with the customer's key (SSE-C); none without a key."""
    if settings.customer_key is None or not settings.encrypt:
        return {}
    # botocore adds the hash of the key; it takes the bytes as text or as they are.
    return {
        "SSECustomerAlgorithm": "AES256",
        "SSECustomerKey": base64.b64encode(settings.customer_key).decode(),
        "SSECustomerKeyMD5": base64.b64encode(
            hashlib.md5(settings.customer_key, usedforsecurity=False).digest()
        ).decode(),
    }


def encryption(settings: S3Settings) -> dict[str, object]:
    """Return the arguments that encrypt a new object as the configuration says; none if it says nothing."""
    if not settings.encrypt:
        return {}
    if settings.kms_key:
        return {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": settings.kms_key}
    return customer_key(settings) or {"ServerSideEncryption": "AES256"}


def checksum(settings: S3Settings, content: bytes) -> dict[str, object]:
    """Return the arguments with which the service checks what it receives."""
    if not settings.checksums:
        return {}
    return {
        "ChecksumAlgorithm": "SHA256",
        "ChecksumSHA256": base64.b64encode(hashlib.sha256(content).digest()).decode(),
    }


def tagging(tags: Mapping[str, str] | None) -> dict[str, object]:
    """Return the argument that tags an object."""
    return {"Tagging": urlencode(sorted(tags.items()))} if tags else {}


def access(settings: S3Settings) -> dict[str, object]:
    """Return the argument with the access control list of the configuration."""
    return {"ACL": settings.acl} if settings.acl else {}


def kept(answer: Mapping[str, object], settings: S3Settings) -> dict[str, object]:
    """Return what an overwrite must keep of an object, as the answer to GetObject or HeadObject describes it.

    What the configuration sets is not among it.
    """
    names = _KEPT if settings.encrypt else _KEPT + _KEPT_ENCRYPTION
    return {name: answer[name] for name in names if answer.get(name)}
