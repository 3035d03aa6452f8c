"""The encryption methods. To add one, add a class and a line in `BUILDERS`.

- `aes_gcm`: a nonce of 12 bytes, the ciphertext, and a tag of 16 bytes;
- `external`: runs programs;
- `unencrypted`: reads and writes plain states during a migration to or from encryption.

Source: OpenTofu `internal/encryption/method`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain
from typing import Final, Protocol

from statefmt.encryption._configuration import EncryptionConfiguration, MethodBlock
from statefmt.encryption._encoding import Base64Room, Base64Text, bytes_of, encode_base64, json_object
from statefmt.encryption._keys import KeySource, NewKey, Randomness, Secret, known_lengths
from statefmt.encryption._program import Program
from statefmt.encryption.envelope import Envelope
from statefmt.encryption.key_providers import key_source
from statefmt.golang import loads_exact
from statefmt.model.errors import EncryptionError, UnreadableError


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
        return self.keys.meta_keys

    def encrypt(self, plain: bytes, randomness: Randomness) -> Sealed:
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


def aes_gcm_method(block: MethodBlock, configuration: EncryptionConfiguration) -> AesGcm:
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


_MAGIC: Final = "OpenTofu-External-Encryption-Method"
_PAYLOAD: Final = "payload"


@dataclass(frozen=True, slots=True)
class ExternalMethod:
    """A `method "external"`; `keys` is None if the programs need none."""

    address: str
    keys: KeySource | None
    encrypting: Program
    decrypting: Program

    @property
    def meta_keys(self) -> Mapping[str, str]:
        return {} if self.keys is None else self.keys.meta_keys

    def encrypt(self, plain: bytes, randomness: Randomness) -> Sealed:
        new = NewKey(Secret(b"")) if self.keys is None else self.keys.new_key(randomness)
        return Sealed(Base64Room.of(self._run(self.encrypting, new.key, plain)), new.meta)

    def decrypt(self, envelope: Envelope) -> bytes:
        key = Secret(b"") if self.keys is None else self.keys.old_key(envelope.meta, ())
        if key is None:
            raise UnreadableError(f"{self.address}: the envelope has no metadata for its key")
        if not envelope.data:
            raise UnreadableError(f"{self.address}: the encrypted data is empty")
        return self._run(self.decrypting, key, bytes(envelope.data))

    def _run(self, program: Program, key: Secret, payload: bytes) -> bytes:
        with_key = b'"key":%b,' % encode_base64(key.reveal()) if len(key) else b""
        request = b'{%b"%b":%b}' % (with_key, _PAYLOAD.encode(), encode_base64(payload))
        text = program.answer(_MAGIC, request)
        try:
            document = dict(json_object(loads_exact(text), "it"))
            if list(document) == [_PAYLOAD]:
                return bytes_of(document[_PAYLOAD])
        except ValueError:
            # The reason may quote the program's output, so it is not shown.
            pass
        raise UnreadableError(
            f'{self.address}: the program {program.name} did not answer with a "{_PAYLOAD}" in base64'
        )


def external_method(block: MethodBlock, configuration: EncryptionConfiguration) -> ExternalMethod:
    """Build the method from its block. Raises ConfigurationError."""
    arguments = block.arguments
    arguments.allow("keys", "encrypt_command", "decrypt_command")
    keys = key_source(configuration, arguments, "keys") if "keys" in arguments.values else None
    programs = (arguments.program("encrypt_command"), arguments.program("decrypt_command"))
    return ExternalMethod(str(block.address), keys, *programs)


@dataclass(frozen=True, slots=True)
class Unencrypted:
    """A `method "unencrypted"`. Its output never gets an envelope."""

    address: str
    meta_keys: Mapping[str, str] = field(default_factory=dict)

    def encrypt(self, plain: bytes, randomness: Randomness) -> Sealed:
        return Sealed(Base64Room.of(plain))

    def decrypt(self, envelope: Envelope) -> bytes:
        """Raise UnreadableError: this method does not read envelopes."""
        raise UnreadableError(f"{self.address}: this method reads only plain states")


def unencrypted_method(block: MethodBlock, configuration: EncryptionConfiguration) -> Unencrypted:
    """Build the method from its block. Raises ConfigurationError for any argument; OpenTofu ignores them."""
    block.arguments.allow()
    return Unencrypted(str(block.address))


BUILDERS: Final[Mapping[str, Callable[[MethodBlock, EncryptionConfiguration], Method]]] = {
    "aes_gcm": aes_gcm_method,
    "external": external_method,
    "unencrypted": unencrypted_method,
}
