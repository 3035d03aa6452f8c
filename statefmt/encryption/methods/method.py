"""The interface of encryption methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from statefmt.encryption.encoding.base64_text import Base64Room
from statefmt.encryption.envelope import Envelope
from statefmt.encryption.randomness import Randomness


@dataclass(frozen=True, slots=True)
class Sealed:
    """Encrypted bytes, not yet encoded as base64, and the metadata of the key providers involved."""

    data: Base64Room
    meta: Mapping[str, bytes] = field(default_factory=dict)


class Method(Protocol):
    """An encryption method. `meta_keys` are the addresses of its key providers by the keys of their metadata."""

    @property
    def meta_keys(self) -> Mapping[str, str]: ...

    def encrypt(self, plain: bytes, randomness: Randomness) -> Sealed:
        """Encrypt the bytes. Raises EncryptionError."""

    def decrypt(self, envelope: Envelope) -> bytes:
        """Decrypt the data. Raises UnreadableError if a fallback may succeed, else EncryptionError."""
