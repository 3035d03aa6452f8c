"""The method `aes_gcm`: a nonce of 12 bytes, the ciphertext, and a tag of 16 bytes.

Source: OpenTofu `internal/encryption/method/aesgcm`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain
from typing import Final

from statefmt.encryption.configuration.model import EncryptionConfiguration, MethodBlock
from statefmt.encryption.encoding.base64_text import Base64Room, Base64Text
from statefmt.encryption.envelope import Envelope
from statefmt.encryption.key_providers.key_source import key_source
from statefmt.encryption.key_providers.keys import KeySource, known_lengths
from statefmt.encryption.methods.method import Sealed
from statefmt.encryption.randomness import Randomness
from statefmt.encryption.secret import Secret
from statefmt.model.errors import EncryptionError, UnreadableError

_KEY_LENGTHS: Final = (16, 24, 32)
_NONCE: Final = 12
_TAG: Final = 16
_BLOCK: Final = 16


@dataclass(frozen=True, slots=True)
class AesGcm:
    """A `method "aes_gcm"`: `aad` is authenticated along with the data but not stored in the envelope."""

    address: str
    keys: KeySource
    aad: bytes = field(repr=False)

    @property
    def meta_keys(self) -> Mapping[str, str]:
        """The key providers involved."""
        return self.keys.meta_keys

    def encrypt(self, plain: bytes, randomness: Randomness) -> Sealed:
        """Encrypt the bytes with a new key and a new nonce."""
        new = self.keys.new_key(randomness)
        self._check(len(new.key))
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = randomness.nonce(_NONCE)
        sealed = Base64Room(_NONCE + len(plain) + _TAG)
        with sealed.view() as view:
            view[:_NONCE] = nonce
            AESGCM(new.key.reveal()).encrypt_into(nonce, plain, self.aad or None, view[_NONCE:])
        return Sealed(sealed, new.meta)

    def decrypt(self, envelope: Envelope) -> bytes:
        """Decrypt the data and verify its authenticity."""
        from cryptography.exceptions import InvalidTag

        key = self.keys.old_key(envelope.meta, _KEY_LENGTHS)
        if key is None:
            raise UnreadableError(f"{self.address}: the envelope has no metadata for its key")
        self._check(len(key))
        if len(envelope.data) < _NONCE + _TAG:
            raise UnreadableError(f"{self.address}: the encrypted data is too short")
        try:
            return self._decrypted(envelope.data, key)
        except InvalidTag:
            # The cipher cannot distinguish these causes.
            raise UnreadableError(f"{self.address}: the key is wrong, or the envelope was changed") from None

    def _decrypted(self, data: bytes | Base64Text, key: Secret) -> bytes:
        """Return the plain bytes. Raises InvalidTag, and NotBase64Error if the data cannot be decoded."""
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import AES
        from cryptography.hazmat.primitives.ciphers.modes import GCM

        pieces = data.pieces() if isinstance(data, Base64Text) else iter((data,))
        first = next(pieces)
        decryptor = Cipher(AES(key.reveal()), GCM(first[:_NONCE])).decryptor()
        decryptor.authenticate_additional_data(self.aad)
        left = len(data) - _NONCE - _TAG
        # The cipher needs room for one extra block. Nothing of this leaves the function before the tag is verified.
        plain = BytesIO(bytes(left + _BLOCK))
        place, tag = 0, b""
        with plain.getbuffer() as room:
            for piece in chain((memoryview(first)[_NONCE:],), map(memoryview, pieces)):
                place += decryptor.update_into(piece[:left], room[place:])
                tag += piece[left:]
                left -= min(left, len(piece))
        decryptor.finalize_with_tag(tag)
        plain.truncate(place)
        return plain.getvalue()

    def _check(self, length: int) -> None:
        if length not in _KEY_LENGTHS:
            raise EncryptionError(f"{self.address}: the key has {length} bytes, but must have 16, 24 or 32")


def method(block: MethodBlock, configuration: EncryptionConfiguration) -> AesGcm:
    """Build the method from its block. Raises ConfigurationError."""
    arguments = block.arguments
    arguments.allow("keys", "aad")
    if "keys" not in arguments.values:
        raise arguments.error("keys", "is missing; set it to a key provider")
    keys = key_source(configuration, arguments, "keys")
    for length in known_lengths(keys):
        if length not in _KEY_LENGTHS:
            raise arguments.block_error(f"the key has {length} bytes, but must have 16, 24 or 32")
    return AesGcm(str(block.address), keys, arguments.byte_list("aad"))
