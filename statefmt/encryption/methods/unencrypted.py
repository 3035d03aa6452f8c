"""The method `unencrypted`: plain bytes, for the time in which a state becomes encrypted or plain again."""

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
    """A `method "unencrypted"`. What it gives is never put into an envelope."""

    address: str
    meta_keys: Mapping[str, str] = field(default_factory=dict)

    def encrypt(self, plain: bytes, randomness: Randomness) -> Sealed:
        """The bytes as they are."""
        return Sealed(Base64Room.of(plain))

    def decrypt(self, envelope: Envelope) -> bytes:
        """Raises UnreadableError: there is nothing to decrypt in a plain state."""
        raise UnreadableError(f"{self.address}: this method reads plain states only")


def method(block: MethodBlock, configuration: EncryptionConfiguration) -> Unencrypted:
    """The method that a block describes. Raises ConfigurationError for any argument, which OpenTofu ignores."""
    block.arguments.allow()
    return Unencrypted(str(block.address))
