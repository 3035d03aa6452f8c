"""The key provider `pbkdf2`: derives a key from a passphrase or from the key of another provider.

Source: OpenTofu `internal/encryption/keyprovider/pbkdf2`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from statefmt.encryption.configuration.arguments import Arguments
from statefmt.encryption.configuration.model import KeyProviderBlock
from statefmt.encryption.configuration.values import ArgumentValue
from statefmt.encryption.encoding.bytes_text import bytes_of, encode_base64
from statefmt.encryption.encoding.go_struct import json_object, member, text, whole_number
from statefmt.encryption.key_providers.keys import KeySource, NewKey, known_lengths
from statefmt.encryption.randomness import Randomness
from statefmt.encryption.secret import Secret
from statefmt.golang import encode_string, loads_exact
from statefmt.model.errors import EncryptionError, UnreadableError

_LEAST_PASSPHRASE: Final = 16
LEAST_ITERATIONS: Final = 200_000
DEFAULT_ITERATIONS: Final = 600_000
# The output size of each hash function in bytes.
_HASHES: Final[Mapping[str, int]] = {"sha256": 32, "sha512": 64}
# A round is one iteration for one hash-sized piece of the key. Limits for a configuration:
_MOST_ROUNDS: Final = 100_000_000
_MOST_SALT: Final = 1_000_000
# Limits for an envelope if the configuration asks for less. Metadata is not authenticated, so anyone who can write the
# file could make statetool run for hours. 10,000,000 rounds take about 5 s; OpenTofu's default is 600,000.
_MOST_ROUNDS_UNASKED: Final = 10_000_000
_MOST_KEY_UNASKED: Final = 1024


@dataclass(frozen=True, slots=True)
class Metadata:
    """The parameters needed to derive a key again; lengths are in bytes."""

    salt: bytes
    iterations: int
    hash_function: str
    key_length: int

    def encoded(self) -> bytes:
        """Return the JSON for the envelope."""
        return b'{"salt":%b,"iterations":%d,"hash_function":%b,"key_length":%d}' % (
            encode_base64(self.salt), self.iterations, encode_string(self.hash_function), self.key_length
        )  # fmt: skip


# The last keys: deriving one takes half a second, and written data is decrypted again at once as a check.
_derived: Final[deque[tuple[Secret, Metadata, Secret]]] = deque(maxlen=4)


@dataclass(frozen=True, slots=True)
class Pbkdf2:
    """A `key_provider "pbkdf2"`: `source` is its passphrase or the provider that it is chained to."""

    address: str
    meta_key: str
    source: Secret | KeySource
    iterations: int
    hash_function: str
    salt_length: int
    length: int

    @property
    def meta_keys(self) -> Mapping[str, str]:
        """This provider and those that it is chained to."""
        upstream = {} if isinstance(self.source, Secret) else self.source.meta_keys
        return {**upstream, self.meta_key: self.address}

    def new_key(self, randomness: Randomness) -> NewKey:
        """Derive a key with a new salt."""
        upstream = NewKey(self.source) if isinstance(self.source, Secret) else self.source.new_key(randomness)
        salt = randomness.salt(self.meta_key, self.salt_length)
        metadata = Metadata(salt, self.iterations, self.hash_function, self.length)
        return NewKey(self._derived(upstream.key, metadata), {**upstream.meta, self.meta_key: metadata.encoded()})

    def old_key(self, meta: Mapping[str, bytes], lengths: tuple[int, ...]) -> Secret | None:
        """Derive the key with the parameters of the metadata, not those of the configuration."""
        metadata = self._metadata(meta.get(self.meta_key))
        if metadata is None:
            return None
        if lengths and metadata.key_length not in lengths:
            raise EncryptionError(f"{self.address}: its metadata asks for a key of {metadata.key_length} bytes")
        upstream = self.source if isinstance(self.source, Secret) else self.source.old_key(meta, ())
        # Without upstream metadata OpenTofu continues with the empty passphrase, which is no secret.
        return None if upstream is None else self._derived(upstream, metadata)

    def _metadata(self, entry: bytes | None) -> Metadata | None:
        """Parse metadata from an envelope; None if it is missing or incomplete."""
        if entry is None:
            return None
        try:
            metadata = parse_metadata(entry)
        except ValueError as error:
            raise EncryptionError(f"{self.address}: its metadata is damaged: {error}") from None
        if metadata is None:
            return None
        if metadata.iterations < 0 or metadata.key_length < 0 or metadata.hash_function not in _HASHES:
            raise EncryptionError(
                f"{self.address}: its metadata has an invalid iteration count, hash function or key length"
            )
        self._check_size(metadata)
        return metadata

    def _check_size(self, metadata: Metadata) -> None:
        """Raise EncryptionError if metadata exceeds both the configuration and the usual limits."""
        rounds = _rounds(metadata.iterations, metadata.key_length, metadata.hash_function)
        most = max(_MOST_ROUNDS_UNASKED, _rounds(self.iterations, self.length, metadata.hash_function))
        asked = f"{self.address}: the metadata in the envelope asks for"
        if rounds > most:
            raise EncryptionError(
                f"{asked} {metadata.iterations:,} iterations for a key of {metadata.key_length:,} bytes. The limit is "
                f"{most:,} rounds, since anyone who can write to the file can change that number. "
                f"{self._way_out(metadata, rounds)}"
            )
        most_key = max(self.length, _MOST_KEY_UNASKED)
        if metadata.key_length > most_key:
            raise EncryptionError(
                f"{asked} a key of {metadata.key_length:,} bytes; the limit is {most_key:,}. "
                f"If it is correct, set `key_length = {metadata.key_length}` in {self.address} to accept it"
            )
        if len(metadata.salt) > _MOST_SALT:
            raise EncryptionError(
                f"{self.address}: the salt in the envelope has {len(metadata.salt):,} bytes; the limit is "
                f"{_MOST_SALT:,} bytes"
            )

    def _way_out(self, metadata: Metadata, rounds: int) -> str:
        """Return advice on a configuration that accepts the metadata."""
        if rounds > _MOST_ROUNDS:
            return f"No configuration can accept more than {_MOST_ROUNDS:,}"
        wanted = [f"`iterations = {metadata.iterations}`"]
        if metadata.key_length > self.length:
            wanted.append(f"`key_length = {metadata.key_length}`")
        return f"If it is correct, set {' and '.join(wanted)} in {self.address} to accept it"

    def _derived(self, passphrase: Secret, metadata: Metadata) -> Secret:
        if len(passphrase) < _LEAST_PASSPHRASE:
            raise UnreadableError(
                f"{self.address}: the key of the provider it is chained to has fewer than {_LEAST_PASSPHRASE} bytes"
            )
        for known_passphrase, known_metadata, key in _derived:
            if known_metadata == metadata and known_passphrase == passphrase:
                return key
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

        hash_function = hashes.SHA256() if metadata.hash_function == "sha256" else hashes.SHA512()
        derivation = PBKDF2HMAC(hash_function, metadata.key_length, metadata.salt, metadata.iterations)
        key = Secret(derivation.derive(passphrase.reveal()))
        _derived.append((passphrase, metadata, key))
        return key


def _rounds(iterations: int, key_length: int, hash_function: str) -> int:
    """Return how often the hash function is applied: once per iteration and hash-sized piece of the key."""
    return iterations * -(-key_length // _HASHES[hash_function])


def parse_metadata(entry: bytes) -> Metadata | None:
    """Parse metadata; None if any of it is missing, empty or zero. Raises ValueError."""
    value = loads_exact(entry, replace_invalid=True)
    if value is None:
        return None
    document = json_object(value, "it")
    metadata = Metadata(
        bytes_of(member(document, "salt")),
        whole_number(member(document, "iterations"), "iterations") or 0,
        text(member(document, "hash_function"), "hash_function"),
        whole_number(member(document, "key_length"), "key_length") or 0,
    )
    complete = metadata.salt and metadata.iterations and metadata.hash_function and metadata.key_length
    return metadata if complete else None


def key_provider(block: KeyProviderBlock, source_of: Callable[[Arguments, str, ArgumentValue], KeySource]) -> Pbkdf2:
    """Build the key provider from its block. Raises ConfigurationError."""
    arguments = block.arguments
    arguments.allow("passphrase", "chain", "key_length", "iterations", "hash_function", "salt_length")
    hash_function = arguments.text("hash_function")
    if hash_function is None:
        hash_function = "sha512"
    if hash_function not in _HASHES:
        raise arguments.error("hash_function", f"must be one of {', '.join(_HASHES)}")
    iterations = arguments.whole_number("iterations", DEFAULT_ITERATIONS)
    length = arguments.whole_number("key_length", 32)
    salt_length = arguments.whole_number("salt_length", 32)
    if iterations < LEAST_ITERATIONS:
        raise arguments.error("iterations", f"must be at least {LEAST_ITERATIONS:,}")
    if length <= 0:
        raise arguments.error("key_length", "must be more than 0")
    if _rounds(iterations, length, hash_function) > _MOST_ROUNDS:
        raise arguments.error("iterations", f"needs more than {_MOST_ROUNDS:,} rounds with this key_length")
    if not 0 < salt_length <= _MOST_SALT:
        raise arguments.error("salt_length", f"must be more than 0 and at most {_MOST_SALT:,}")
    source = _source(block, source_of)
    return Pbkdf2(
        address=str(block.address),
        meta_key=block.meta_key,
        source=source,
        iterations=iterations,
        hash_function=hash_function,
        salt_length=salt_length,
        length=length,
    )


def _source(
    block: KeyProviderBlock, source_of: Callable[[Arguments, str, ArgumentValue], KeySource]
) -> Secret | KeySource:
    arguments = block.arguments
    passphrase = arguments.text("passphrase") or ""
    if bool(passphrase) == ("chain" in arguments.values):
        raise arguments.block_error("it needs either a passphrase or a chain")
    if passphrase:
        secret = Secret(passphrase.encode("utf-8"))
        if len(secret) < _LEAST_PASSPHRASE:
            raise arguments.error("passphrase", f"must have at least {_LEAST_PASSPHRASE} bytes")
        return secret
    source = source_of(arguments, "chain", arguments.value("chain"))
    if any(length < _LEAST_PASSPHRASE for length in known_lengths(source)):
        raise arguments.error("chain", f"the key of that provider must have at least {_LEAST_PASSPHRASE} bytes")
    return source
