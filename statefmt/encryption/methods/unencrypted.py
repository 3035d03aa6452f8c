"""The method `unencrypted`: reads and writes plain states during a migration to or from encryption."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from statefmt.encryption.configuration.model import EncryptionConfiguration, MethodBlock
from statefmt.encryption.encoding.base64_text import Base64Room
from statefmt.encryption.envelope import Envelope
from statefmt.encryption.methods.method import Sealed
from statefmt.encryption.randomness import Randomness
from statefmt.model.errors import UnreadableError


@dataclass(frozen=True, slots=True)
class Unencrypted:
    """A `method "unencrypted"`. Its output never gets an envelope."""

    address: str
    meta_keys: Mapping[str, str] = field(default_factory=dict)

    def encrypt(self, plain: bytes, randomness: Randomness) -> Sealed:
        """Return the bytes unchanged."""
        return Sealed(Base64Room.of(plain))

    def decrypt(self, envelope: Envelope) -> bytes:
        """Raise UnreadableError: this method does not read envelopes."""
        raise UnreadableError(f"{self.address}: this method reads only plain states")


def method(block: MethodBlock, configuration: EncryptionConfiguration) -> Unencrypted:
    """Build the method from its block. Raises ConfigurationError for any argument; OpenTofu ignores them."""
    block.arguments.allow()
    return Unencrypted(str(block.address))
