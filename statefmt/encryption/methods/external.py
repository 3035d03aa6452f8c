"""The method `external`: encrypts and decrypts by running programs.

Source: OpenTofu `internal/encryption/method/external`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from statefmt.encryption.configuration.model import EncryptionConfiguration, MethodBlock
from statefmt.encryption.encoding.base64_text import Base64Room
from statefmt.encryption.encoding.bytes_text import bytes_of, encode_base64
from statefmt.encryption.encoding.go_struct import json_object
from statefmt.encryption.envelope import Envelope
from statefmt.encryption.key_providers.key_source import key_source
from statefmt.encryption.key_providers.keys import KeySource, NewKey
from statefmt.encryption.methods.method import Sealed
from statefmt.encryption.program import Program
from statefmt.encryption.randomness import Randomness
from statefmt.encryption.secret import Secret
from statefmt.golang import loads_exact
from statefmt.model.errors import UnreadableError

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
        """The key providers involved."""
        return {} if self.keys is None else self.keys.meta_keys

    def encrypt(self, plain: bytes, randomness: Randomness) -> Sealed:
        """Encrypt the bytes by running the encryption program."""
        new = NewKey(Secret(b"")) if self.keys is None else self.keys.new_key(randomness)
        return Sealed(Base64Room.of(self._run(self.encrypting, new.key, plain)), new.meta)

    def decrypt(self, envelope: Envelope) -> bytes:
        """Decrypt the data by running the decryption program."""
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


def method(block: MethodBlock, configuration: EncryptionConfiguration) -> ExternalMethod:
    """Build the method from its block. Raises ConfigurationError."""
    arguments = block.arguments
    arguments.allow("keys", "encrypt_command", "decrypt_command")
    keys = key_source(configuration, arguments, "keys") if "keys" in arguments.values else None
    programs = (arguments.program("encrypt_command"), arguments.program("decrypt_command"))
    return ExternalMethod(str(block.address), keys, *programs)
