"""The key provider `external`: gets keys from a program.

Source: OpenTofu `internal/encryption/keyprovider/external`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from statefmt.encryption.configuration.arguments import Arguments
from statefmt.encryption.configuration.model import KeyProviderBlock
from statefmt.encryption.configuration.values import ArgumentValue
from statefmt.encryption.encoding.bytes_text import bytes_of
from statefmt.encryption.encoding.go_struct import json_object, member
from statefmt.encryption.key_providers.keys import KeySource, NewKey
from statefmt.encryption.program import Program
from statefmt.encryption.randomness import Randomness
from statefmt.encryption.secret import Secret
from statefmt.golang import JSONValue, Members, encode_value, fold_name, loads_exact
from statefmt.model.errors import EncryptionError, UnreadableError

_MAGIC: Final = "OpenTofu-External-Key-Provider"
_ANSWER: Final = ("keys", "meta")
_KEYS: Final = ("encryption_key", "decryption_key")
_DATA: Final = "external_data"
_NOTHING: Final = b"null"


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answer of the program: its keys and its metadata."""

    encryption: Secret
    decryption: Secret
    meta: bytes


@dataclass(frozen=True, slots=True)
class ExternalKeys:
    """A `key_provider "external"`."""

    address: str
    meta_key: str
    program: Program
    length: None = None

    @property
    def meta_keys(self) -> Mapping[str, str]:
        """This provider only."""
        return {self.meta_key: self.address}

    def new_key(self, randomness: Randomness) -> NewKey:
        """Ask the program for a new key, without metadata."""
        answered = self._ask(_NOTHING)
        if not len(answered.encryption):
            raise UnreadableError(f"{self.address}: the program {self.program.name} returned no encryption_key")
        return NewKey(answered.encryption, {self.meta_key: answered.meta})

    def old_key(self, meta: Mapping[str, bytes], lengths: tuple[int, ...]) -> Secret | None:
        """Ask the program for the key that belongs to the metadata."""
        key = self._ask(self._request(meta.get(self.meta_key))).decryption
        if not len(key):
            return None
        if lengths and len(key) not in lengths:
            raise EncryptionError(f"{self.address}: the program {self.program.name} returned a key of {len(key)} bytes")
        return key

    def _request(self, entry: bytes | None) -> bytes:
        """Return the request: the program's own metadata, encoded as OpenTofu does."""
        if entry is None:
            return _NOTHING
        try:
            value = loads_exact(entry, replace_invalid=True)
            data = None if value is None else member(json_object(value, "it"), _DATA)
            return _NOTHING if data is None else _data(data)
        except ValueError as error:
            raise EncryptionError(f"{self.address}: its metadata is damaged: {error}") from None

    def _ask(self, request: bytes) -> _Answer:
        try:
            return _parsed(self.program.answer(_MAGIC, request))
        except UnreadableError as error:
            # If a provider fails, no fallback is tried.
            raise EncryptionError(str(error)) from None
        except ValueError:
            # The reason may quote the program's output, so it is not shown.
            raise EncryptionError(
                f"{self.address}: the program {self.program.name} did not answer with keys as the protocol requires"
            ) from None


def key_provider(
    block: KeyProviderBlock, source_of: Callable[[Arguments, str, ArgumentValue], KeySource]
) -> ExternalKeys:
    """Build the key provider from its block. Raises ConfigurationError."""
    block.arguments.allow("command")
    return ExternalKeys(str(block.address), block.meta_key, block.arguments.program("command"))


def _parsed(text: bytes) -> _Answer:
    document = _only(json_object(loads_exact(text, replace_invalid=True), "it"), _ANSWER)
    keys = member(document, "keys")
    keys = _only(Members() if keys is None else json_object(keys, "keys"), _KEYS)
    meta = member(document, "meta")
    meta = _only(Members() if meta is None else json_object(meta, "meta"), (_DATA,))
    encryption, decryption = (Secret(bytes_of(member(keys, name))) for name in _KEYS)
    return _Answer(encryption, decryption, _data(member(meta, _DATA)))


def _data(value: JSONValue) -> bytes:
    """Encode the program's own metadata for the envelope: sorted by key, numbers as Go writes them."""
    data = b"null" if value is None else encode_value(json_object(value, _DATA))
    return b'{"%b":%b}' % (_DATA.encode(), data)


def _only(document: Members, names: tuple[str, ...]) -> Members:
    for name, _ in document:
        if fold_name(name) not in names:
            raise ValueError("it has another member")
    return document
