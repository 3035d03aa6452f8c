"""Defines keys and key sources: secret bytes, the interface of key providers, literal keys and random bytes."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn, Protocol


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key to encrypt with, and the metadata needed to get it again, by its key in the envelope."""

    key: Secret
    meta: Mapping[str, bytes] = field(default_factory=dict)


class KeySource(Protocol):
    """A source of keys, which are derived only on request."""

    @property
    def meta_keys(self) -> Mapping[str, str]:
        """The addresses of the providers involved, by the keys of their metadata."""

    @property
    def length(self) -> int | None:
        """The length of a new key in bytes; None if unknown in advance."""

    def new_key(self, randomness: Randomness) -> NewKey:
        """Return a key to encrypt with. Raises EncryptionError."""

    def old_key(self, meta: Mapping[str, bytes], lengths: tuple[int, ...]) -> Secret | None:
        """Return the key of an envelope with this metadata; None if the metadata is missing.

        `lengths` are the allowed lengths of the key, any if empty. Raises EncryptionError.
        """


def known_lengths(source: KeySource) -> tuple[int, ...]:
    """Return the lengths of the keys in bytes, as far as known in advance."""
    old = source.decryption if isinstance(source, LiteralKeys) else None
    return tuple(length for length in (source.length, None if old is None else len(old)) if length is not None)


@dataclass(frozen=True, slots=True)
class LiteralKeys:
    """Keys written in the configuration as lists of bytes. They have no metadata."""

    encryption: Secret
    decryption: Secret | None = None
    meta_keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def length(self) -> int:
        return len(self.encryption)

    def new_key(self, randomness: Randomness) -> NewKey:
        return NewKey(self.encryption)

    def old_key(self, meta: Mapping[str, bytes], lengths: tuple[int, ...]) -> Secret | None:
        return self.decryption


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Secret:
    """Bytes that no message, log or traceback shows; only `reveal` returns them."""

    _value: bytes

    def reveal(self) -> bytes:
        """Return the bytes."""
        return self._value

    def __len__(self) -> int:
        return len(self._value)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._value, other._value)

    __hash__ = None  # type: ignore[assignment] # a hash reveals something about its value

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret cannot be serialized")


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
