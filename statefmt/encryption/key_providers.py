"""The key providers, and the metadata that they leave in an envelope. To add one, add a class and a line in `BUILDERS`.

- `pbkdf2`: derives a key from a passphrase or from the key of another provider;
- `external`: gets keys from a program;
- providers that need a cloud service are refused, with the name of the service.

Source: OpenTofu `internal/encryption/keyprovider`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias

from statefmt.encryption._configuration import (
    Arguments,
    ArgumentValue,
    EncryptionConfiguration,
    KeyProviderBlock,
    Reference,
    byte_list,
    parse_reference,
    type_name,
)
from statefmt.encryption._encoding import bytes_of, encode_base64, json_object, member, text, whole_number
from statefmt.encryption._keys import KeySource, LiteralKeys, NewKey, Randomness, Secret, known_lengths
from statefmt.encryption._program import Program
from statefmt.encryption.envelope import Envelope
from statefmt.golang import JSONValue, Members, encode_string, encode_value, fold_name, loads_exact
from statefmt.model.errors import ConfigurationError, EncryptionError, KeyServiceError, UnreadableError

# Resolves an argument to its keys.
SourceOf: TypeAlias = Callable[[Arguments, str, ArgumentValue], KeySource]

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
class Pbkdf2Metadata:
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
_derived: Final[deque[tuple[Secret, Pbkdf2Metadata, Secret]]] = deque(maxlen=4)


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
        """This provider and the providers that it is chained to."""
        upstream = {} if isinstance(self.source, Secret) else self.source.meta_keys
        return {**upstream, self.meta_key: self.address}

    def new_key(self, randomness: Randomness) -> NewKey:
        upstream = NewKey(self.source) if isinstance(self.source, Secret) else self.source.new_key(randomness)
        salt = randomness.salt(self.meta_key, self.salt_length)
        metadata = Pbkdf2Metadata(salt, self.iterations, self.hash_function, self.length)
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

    def _metadata(self, entry: bytes | None) -> Pbkdf2Metadata | None:
        """Parse metadata from an envelope; None if it is missing or incomplete."""
        if entry is None:
            return None
        try:
            metadata = parse_pbkdf2_metadata(entry)
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

    def _check_size(self, metadata: Pbkdf2Metadata) -> None:
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

    def _way_out(self, metadata: Pbkdf2Metadata, rounds: int) -> str:
        if rounds > _MOST_ROUNDS:
            return f"No configuration can accept more than {_MOST_ROUNDS:,}"
        wanted = [f"`iterations = {metadata.iterations}`"]
        if metadata.key_length > self.length:
            wanted.append(f"`key_length = {metadata.key_length}`")
        return f"If it is correct, set {' and '.join(wanted)} in {self.address} to accept it"

    def _derived(self, passphrase: Secret, metadata: Pbkdf2Metadata) -> Secret:
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


def parse_pbkdf2_metadata(entry: bytes) -> Pbkdf2Metadata | None:
    """Parse metadata; None if any of it is missing, empty or zero. Raises ValueError."""
    value = loads_exact(entry, replace_invalid=True)
    if value is None:
        return None
    document = json_object(value, "it")
    metadata = Pbkdf2Metadata(
        bytes_of(member(document, "salt")),
        whole_number(member(document, "iterations"), "iterations") or 0,
        text(member(document, "hash_function"), "hash_function"),
        whole_number(member(document, "key_length"), "key_length") or 0,
    )
    complete = metadata.salt and metadata.iterations and metadata.hash_function and metadata.key_length
    return metadata if complete else None


def pbkdf2_provider(block: KeyProviderBlock, source_of: SourceOf) -> Pbkdf2:
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


def _source(block: KeyProviderBlock, source_of: SourceOf) -> Secret | KeySource:
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


_MAGIC: Final = "OpenTofu-External-Key-Provider"
_ANSWER: Final = ("keys", "meta")
# The members of literal keys, and of the answer of a program.
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


def external_provider(block: KeyProviderBlock, source_of: SourceOf) -> ExternalKeys:
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


# What each provider needs to supply a key.
SERVICES: Final[Mapping[str, str]] = {
    "aws_kms": "a request to AWS KMS with the credentials of an AWS account",
    "gcp_kms": "a request to Google Cloud KMS with the credentials of a service account",
    "azure_vault": "a request to an Azure Key Vault with a login to Azure",
    "openbao": "a request to the transit engine of an OpenBao or Vault server with its token",
}


def needed_for(meta_key: str) -> str:
    """Say which service the key of a metadata entry needs, from its provider's name; "" if none."""
    root, _, rest = meta_key.partition(".")
    service = SERVICES.get(rest.partition(".")[0]) if root == "key_provider" else None
    return f"its key needs {service}, which statetool does not support" if service else ""


def refused_provider(block: KeyProviderBlock, source_of: SourceOf) -> NoReturn:
    """Raise KeyServiceError with the service that the provider needs."""
    error = block.arguments.block_error(
        f"its keys need {SERVICES[block.address.type]}, which statetool does not support. "
        "`tofu state pull` prints the decrypted state where this provider is configured"
    )
    raise KeyServiceError(str(error))


BUILDERS: Final[Mapping[str, Callable[[KeyProviderBlock, SourceOf], KeySource]]] = {
    "pbkdf2": pbkdf2_provider,
    "external": external_provider,
    **dict.fromkeys(SERVICES, refused_provider),
}


def key_source(configuration: EncryptionConfiguration, arguments: Arguments, name: str) -> KeySource:
    """Resolve an argument of a method to its keys.

    Raises ConfigurationError if it names no key provider, or if two providers in a chain use the same metadata key.
    """
    return _resolved(configuration, arguments, name, arguments.value(name), ())


def _resolved(
    configuration: EncryptionConfiguration,
    arguments: Arguments,
    name: str,
    value: ArgumentValue,
    seen: tuple[Reference, ...],
) -> KeySource:
    if isinstance(value, str) and not seen:
        # OpenTofu accepts a string as a reference here, but not in the `chain` of a key provider.
        value = parse_reference(value)
    if isinstance(value, dict):
        return _literal(arguments, name, value)
    if not isinstance(value, Reference) or value.root != "key_provider":
        raise arguments.error(name, "must be a key provider (key_provider.TYPE.NAME) or an object with keys")
    block = configuration.key_providers.get(value)
    if block is None:
        raise arguments.error(name, f"there is no block {value}")
    if value in seen:
        raise arguments.error(name, f"the key providers form a cycle: {' -> '.join(map(str, [*seen, value]))}")
    builder = BUILDERS.get(value.type)
    if builder is None:
        raise block.arguments.block_error(f"unknown type of key provider; known types are {', '.join(BUILDERS)}")

    def inner(arguments: Arguments, name: str, value: ArgumentValue) -> KeySource:
        source = _resolved(configuration, arguments, name, value, (*seen, block.address))
        if block.meta_key in source.meta_keys:
            raise ConfigurationError(
                f"{block.address} and {source.meta_keys[block.meta_key]} use the same key for their metadata; set "
                "encrypted_metadata_alias in one of them"
            )
        return source

    return builder(block, inner)


def _literal(arguments: Arguments, name: str, value: dict[str, ArgumentValue]) -> LiteralKeys:
    for key in value:
        if key not in _KEYS:
            raise arguments.error(name, f"an object with keys may have only {' and '.join(_KEYS)} as members")
    encryption, decryption = (byte_list(arguments, f"{name}.{key}", value.get(key)) for key in _KEYS)
    if not encryption:
        raise arguments.error(f"{name}.{_KEYS[0]}", f"is {type_name(value.get(_KEYS[0]))}; expected a list of bytes")
    return LiteralKeys(Secret(encryption), Secret(decryption) if decryption else None)


# The members of metadata by type of key provider. An envelope does not contain the type.
_MEMBERS: Final[Mapping[str, frozenset[str]]] = {
    "pbkdf2": frozenset({"salt", "iterations", "hash_function", "key_length"}),
    "external": frozenset({"external_data"}),
    "azure_vault": frozenset({"ciphertext", "iv", "authentication_tag", "key_version", "algo"}),
    "aws_kms": frozenset({"ciphertext_blob"}),
    "gcp_kms or openbao": frozenset({"ciphertext"}),
}


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """The metadata of one key provider: its key and, guessed from the members, its type ("" if unknown).

    `pbkdf2` is the parsed metadata of a provider of that type.
    """

    key: str
    type: str
    pbkdf2: Pbkdf2Metadata | None = None

    @property
    def is_weak(self) -> bool:
        """Whether the iteration count is below the minimum that OpenTofu allows in a configuration."""
        return self.pbkdf2 is not None and self.pbkdf2.iterations < LEAST_ITERATIONS


@dataclass(frozen=True, slots=True)
class CheckedEncryption:
    """How a state is encrypted, or the `error` that prevents finding out; `is_current` as in `Opened`."""

    name: str
    is_encrypted: bool = False
    method: str = ""
    is_current: bool = False
    error: str = ""


def provider_entries(envelope: Envelope) -> tuple[ProviderEntry, ...]:
    """Return the metadata entries in an envelope, sorted by key."""
    return tuple(_entry(key, envelope.meta[key]) for key in sorted(envelope.meta))


def _entry(key: str, data: bytes) -> ProviderEntry:
    try:
        document = loads_exact(data, replace_invalid=True)
        names = {name for name, _ in document} if isinstance(document, Members) else set()
        found = next((kind for kind, members in _MEMBERS.items() if members <= names), "")
        return ProviderEntry(key, found, parse_pbkdf2_metadata(data) if found == "pbkdf2" else None)
    except ValueError:
        return ProviderEntry(key, "")
