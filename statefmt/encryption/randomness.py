"""Where salts and nonces come from: an argument of everything that encrypts."""

from __future__ import annotations

import secrets
from typing import Protocol


class Randomness(Protocol):
    """Random bytes, each with what they are for, so that recorded ones can take their place in tests."""

    def salt(self, meta_key: str, length: int) -> bytes:
        """A salt of some bytes for the key provider whose metadata has this key."""

    def nonce(self, length: int) -> bytes:
        """A nonce of some bytes, never the same twice."""


class SystemRandomness:
    """The random bytes of the operating system."""

    def salt(self, meta_key: str, length: int) -> bytes:
        """A salt of some bytes; which provider it is for does not matter."""
        return secrets.token_bytes(length)

    def nonce(self, length: int) -> bytes:
        """A nonce of some bytes."""
        return secrets.token_bytes(length)
