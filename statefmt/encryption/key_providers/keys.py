"""The interface of key providers, and literal keys in a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from statefmt.encryption.randomness import Randomness
from statefmt.encryption.secret import Secret


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
        """The length of the key in bytes."""
        return len(self.encryption)

    def new_key(self, randomness: Randomness) -> NewKey:
        """Return the key to encrypt with."""
        return NewKey(self.encryption)

    def old_key(self, meta: Mapping[str, bytes], lengths: tuple[int, ...]) -> Secret | None:
        """Return the key to decrypt with."""
        return self.decryption
