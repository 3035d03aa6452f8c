"""Makes keyed hashes, so that equal values are found and no value can be guessed without the index."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hashlib import _Hash

HASH_DIGITS: Final = 32


def keyed_hash(key: bytes, data: bytes) -> str:
    """Return a hash of 16 bytes in hexadecimal: half of the SHA-256 of the key and the data.

    As half of it is missing, nobody can continue it with other data. Processors have instructions for SHA-256.
    """
    found = begun_hash(key).copy()
    found.update(data)
    return found.hexdigest()[:HASH_DIGITS]


@lru_cache(maxsize=4)
def begun_hash(key: bytes) -> _Hash:
    """Return the hash of a key, to copy, to go on with the data, and to cut to HASH_DIGITS, as `keyed_hash` does."""
    return sha256(key)


def state_id_of(uri: str) -> str:
    """Return the id of a state by its place, 8 bytes in hexadecimal."""
    return blake2b(uri.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
