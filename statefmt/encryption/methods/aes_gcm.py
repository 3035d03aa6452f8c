"""The method `aes_gcm`: a nonce of 12 bytes, the ciphertext, and a tag of 16 bytes.

Source: OpenTofu `internal/encryption/method/aesgcm`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from statefmt.encryption.configuration import Configuration, MethodBlock
from statefmt.encryption.envelope import Envelope
from statefmt.encryption.key_source import key_source
from statefmt.encryption.keys import KeySource, known_lengths
from statefmt.encryption.methods.method import Sealed
from statefmt.encryption.randomness import Randomness
from statefmt.encryption.secret import Secret
from statefmt.errors import EncryptionError, UnreadableError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_KEY_LENGTHS: Final = (16, 24, 32)
_NONCE: Final = 12
_TAG: Final = 16


@dataclass(frozen=True, slots=True)
class AesGcm:
    """A `method "aes_gcm"`: `aad` is authenticated along with the data, and is not kept in the envelope."""

    address: str
    keys: KeySource
    aad: bytes = field(repr=False)

    @property
    def meta_keys(self) -> Mapping[str, str]:
        """The key providers that take part."""
        return self.keys.meta_keys

    def encrypt(self, plain: bytes, randomness: Randomness) -> Sealed:
        """The bytes, encrypted with a new key and a new nonce."""
        new = self.keys.new_key(randomness)
        self._check(len(new.key))
        nonce = randomness.nonce(_NONCE)
        # One buffer from the start, since a state can have a hundred megabytes.
        sealed = bytearray(_NONCE + len(plain) + _TAG)
        sealed[:_NONCE] = nonce
        _cipher(new.key).encrypt_into(nonce, plain, self.aad or None, memoryview(sealed)[_NONCE:])
        return Sealed(sealed, new.meta)

    def decrypt(self, envelope: Envelope) -> bytes:
        """The plain bytes, if they are what was encrypted with one of the keys."""
        from cryptography.exceptions import InvalidTag

        key = self.keys.old_key(envelope.meta, _KEY_LENGTHS)
        if key is None:
            raise UnreadableError(f"{self.address}: the envelope has no metadata for its key")
        self._check(len(key))
        data = memoryview(envelope.data)
        if len(data) < _NONCE + _TAG:
            raise UnreadableError(f"{self.address}: the encrypted data is too short to be any")
        try:
            return _cipher(key).decrypt(data[:_NONCE], data[_NONCE:], self.aad or None)
        except InvalidTag:
            # One reason for all of them, since it is all that can be known.
            raise UnreadableError(f"{self.address}: the key does not fit, or the envelope was changed") from None

    def _check(self, length: int) -> None:
        if length not in _KEY_LENGTHS:
            raise EncryptionError(f"{self.address}: the key has {length} bytes, and must have 16, 24 or 32")


def method(block: MethodBlock, configuration: Configuration) -> AesGcm:
    """The method that a block describes. Raises ConfigurationError."""
    arguments = block.arguments
    arguments.allow("keys", "aad")
    if "keys" not in arguments.values:
        raise arguments.error("keys", "is missing; it names the key provider")
    keys = key_source(configuration, arguments, "keys")
    for length in known_lengths(keys):
        if length not in _KEY_LENGTHS:
            raise arguments.block_error(f"the key has {length} bytes, and must have 16, 24 or 32")
    return AesGcm(str(block.address), keys, arguments.byte_list("aad"))


def _cipher(key: Secret) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key.reveal())
