"""Where a method gets its keys: the part that all key providers share, and keys that stand in the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from statefmt.encryption.randomness import Randomness
from statefmt.encryption.secret import Secret


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key to encrypt with, and the metadata that must be kept to get it again, by its key in the envelope."""

    key: Secret
    meta: Mapping[str, bytes] = field(default_factory=dict)


class KeySource(Protocol):
    """Something that gives keys. No key is derived before it is asked for."""

    @property
    def meta_keys(self) -> Mapping[str, str]:
        """The address of each provider that takes part, by the key of its metadata."""

    @property
    def length(self) -> int | None:
        """How many bytes a new key has; None where that is not known before there is one."""

    def new_key(self, randomness: Randomness) -> NewKey:
        """A key to encrypt with. Raises EncryptionError."""

    def old_key(self, meta: Mapping[str, bytes], lengths: tuple[int, ...]) -> Secret | None:
        """The key that an envelope with this metadata was encrypted with, None where the metadata is not there.

        A key of another length than the `lengths` is not derived; none means any. Raises EncryptionError.
        """


def known_lengths(source: KeySource) -> tuple[int, ...]:
    """How many bytes the keys have, as far as that is known before they are asked for."""
    old = source.decryption if isinstance(source, LiteralKeys) else None
    return tuple(length for length in (source.length, None if old is None else len(old)) if length is not None)


@dataclass(frozen=True, slots=True)
class LiteralKeys:
    """Keys that are written into the configuration as lists of bytes. They have no metadata."""

    encryption: Secret
    decryption: Secret | None = None
    meta_keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """How many bytes the key has."""
        return len(self.encryption)

    def new_key(self, randomness: Randomness) -> NewKey:
        """The key to encrypt with."""
        return NewKey(self.encryption)

    def old_key(self, meta: Mapping[str, bytes], lengths: tuple[int, ...]) -> Secret | None:
        """The key to decrypt with."""
        return self.decryption
