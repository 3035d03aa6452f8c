"""Makes keyed hashes, so that equal values are found and no value can be guessed without the index."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

_BYTES: Final = 16


def keyed_hash(key: bytes, data: bytes) -> str:
    """Return a hash of 16 bytes in hexadecimal. `key` has at most 64 bytes."""
    return blake2b(data, digest_size=_BYTES, key=key).hexdigest()


def state_id_of(uri: str) -> str:
    """Return the id of a state by its place, 8 bytes in hexadecimal."""
    if uri.startswith("s3://"):
        # A bucket is in one region, which references often do not name.
        uri = uri.partition("?")[0]
    return blake2b(uri.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
