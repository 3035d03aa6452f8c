"""What all encryption methods share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from statefmt.encryption.encoding.base64_text import Base64Room
from statefmt.encryption.envelope import Envelope
from statefmt.encryption.randomness import Randomness


@dataclass(frozen=True, slots=True)
class Sealed:
    """Encrypted bytes, to be made base64 of, and the metadata of the key providers that took part."""

    data: Base64Room
    meta: Mapping[str, bytes] = field(default_factory=dict)


class Method(Protocol):
    """A way to encrypt. `meta_keys` are the addresses of its key providers by the keys of their metadata."""

    @property
    def meta_keys(self) -> Mapping[str, str]: ...

    def encrypt(self, plain: bytes, randomness: Randomness) -> Sealed:
        """The bytes, encrypted. Raises EncryptionError."""

    def decrypt(self, envelope: Envelope) -> bytes:
        """The plain bytes. Raises UnreadableError where another method may do better, else EncryptionError."""
