"""Generates salts and nonces; passed to everything that encrypts."""

from __future__ import annotations

import secrets
from typing import Protocol


class Randomness(Protocol):
    """A source of random bytes, by purpose, so that tests can use recorded ones."""

    def salt(self, meta_key: str, length: int) -> bytes:
        """Return a salt of `length` bytes for the key provider whose metadata has this key."""

    def nonce(self, length: int) -> bytes:
        """Return a nonce of `length` bytes, never the same twice."""


class SystemRandomness:
    """The random bytes of the operating system."""

    def salt(self, meta_key: str, length: int) -> bytes:
        """Return a salt of `length` bytes."""
        return secrets.token_bytes(length)

    def nonce(self, length: int) -> bytes:
        """Return a nonce of `length` bytes."""
        return secrets.token_bytes(length)
