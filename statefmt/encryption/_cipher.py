"""Encrypts and decrypts states with the methods of a configuration, and checks that the result is a state.

Source: OpenTofu `internal/encryption/base.go`, `targets.go`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec import Raw

from statefmt.encryption._configuration import EncryptionConfiguration, Reference
from statefmt.encryption._encoding import NotBase64Error, json_object, member, text, whole_number
from statefmt.encryption._keys import Randomness
from statefmt.encryption._methods import BUILDERS, Method, Unencrypted
from statefmt.encryption.envelope import Envelope, EnvelopeLayout, frame, glance, parse_envelope
from statefmt.encryption.key_providers import needed_for
from statefmt.golang import JSONValue, Members, NumberText, fold_name, loads_exact
from statefmt.model.errors import ConfigurationError, EncryptionError, KeyServiceError, UnreadableError

# Targets of a configuration, and what they encrypt.
STATE: Final = "state"
PLAN: Final = "plan"
# From this size in bytes it saves time to parse a state in parallel with its encryption.
_LARGE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Opened:
    """A state that was read; `method` is the address of the method, and `envelope` is None if the state was plain.

    `is_current` is true if the first method read it, false if a fallback did. `meta_keys` are the keys of the metadata
    that the method uses.
    """

    plain: bytes = field(repr=False)
    method: str
    is_current: bool
    envelope: Envelope | None = field(default=None, repr=False)
    meta_keys: frozenset[str] = frozenset()


def check_configuration(configuration: EncryptionConfiguration) -> None:
    """Raise ConfigurationError if OpenTofu would refuse the configuration before reading any state."""
    _first(configuration, _chain(configuration, STATE))


def encrypts(configuration: EncryptionConfiguration) -> bool:
    """Return whether states are written encrypted. Raises ConfigurationError."""
    return not isinstance(_built(configuration, _chain(configuration, STATE)[0]), Unencrypted)


def encrypt(
    plain: bytes,
    configuration: EncryptionConfiguration,
    randomness: Randomness,
    layout: EnvelopeLayout = EnvelopeLayout.COMPACT,
) -> bytes:
    """Encrypt a plain state with the first method of the configuration.

    Raises ConfigurationError if the configuration is invalid, and EncryptionError if the bytes are not a JSON object.
    """
    method = _first(configuration, _chain(configuration, STATE))
    if isinstance(method, Unencrypted):
        identity_of(plain)
        return plain
    if len(plain) < _LARGE:
        identity, sealed = identity_of(plain), method.encrypt(plain, randomness)
    else:
        # Imported late: it takes 6 to 7 ms.
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as pool:
            encrypting = pool.submit(method.encrypt, plain, randomness)
            identity = identity_of(plain)
        sealed = encrypting.result()
    around = Envelope(identity.serial, identity.lineage, sealed.meta, b"", layout)
    return sealed.data.framed(*frame(around))


def encrypt_checked(
    plain: bytes,
    configuration: EncryptionConfiguration,
    randomness: Randomness,
    layout: EnvelopeLayout = EnvelopeLayout.COMPACT,
) -> bytes:
    """Like encrypt(), but decrypts the result and raises EncryptionError if that fails or differs from the input.

    The decryption program may not match the encryption program, and a provider may not return the key again.
    """
    encrypted = encrypt(plain, configuration, randomness, layout)
    if decrypt(encrypted, configuration).plain != plain:
        raise EncryptionError("the method does not decrypt what it encrypted; nothing was written")
    return encrypted


def decrypt(data: bytes, configuration: EncryptionConfiguration) -> Opened:
    """Decrypt a state with the first method of the configuration that can read it.

    Raises ConfigurationError if the configuration is invalid, and EncryptionError if no method can read the bytes.
    """
    chain = _chain(configuration, STATE)
    first = _first(configuration, chain)
    envelope = glance(data)
    if envelope is None:
        return _plain(data, chain)
    opened = _opened_at_once(data, envelope, configuration, chain, first)
    for name in identity_differs(envelope, opened.plain):
        # They are not authenticated.
        raise EncryptionError(f"the {name} on the envelope differs from the one in the state: the envelope was changed")
    return opened


def _first(configuration: EncryptionConfiguration, chain: tuple[Reference, ...]) -> Method:
    """Return the method that writes. Checks other targets too, since OpenTofu refuses them all if one is invalid."""
    for other in configuration.targets:
        if other != STATE:
            # A key service that only another target needs must not prevent reading the state.
            with suppress(KeyServiceError):
                _built(configuration, _chain(configuration, other)[0])
    return _built(configuration, chain[0])


def examine(data: bytes, configuration: EncryptionConfiguration, target: str = STATE) -> Opened:
    """Like decrypt(), but accepts a changed serial or lineage on the envelope. `target` may also be PLAN.

    Accepts a plain state with any configuration, with method ""; it is current if the first method is `unencrypted`.
    """
    chain = _chain(configuration, target)
    first = _first(configuration, chain)
    envelope = glance(data)
    if envelope is None:
        return Opened(data, "", isinstance(first, Unencrypted))
    return _opened_at_once(data, envelope, configuration, chain, first, target)


def _opened_at_once(
    data: bytes,
    envelope: Envelope,
    configuration: EncryptionConfiguration,
    chain: tuple[Reference, ...],
    first: Method,
    target: str = STATE,
) -> Opened:
    """Like _opened(), for an envelope from glance()."""
    try:
        return _opened(envelope, configuration, chain, first, target)
    except NotBase64Error:
        read = parse_envelope(data)
        assert read is not None
        return _opened(read, configuration, chain, first, target)


def _chain(configuration: EncryptionConfiguration, target: str) -> tuple[Reference, ...]:
    """Return the methods of a target; the first one writes."""
    wanted = configuration.targets.get(target)
    if wanted is None:
        raise ConfigurationError(f"{target}: the configuration has no such block, so it encrypts nothing")
    chain = tuple(wanted.chain())
    for address in chain:
        if address not in configuration.methods:
            raise ConfigurationError(f"{target}: there is no block {address}")
        if wanted.enforced and address.type == "unencrypted":
            raise ConfigurationError(f"{target}: it uses {address}, which enforced forbids")
    return chain


def _built(configuration: EncryptionConfiguration, address: Reference) -> Method:
    builder = BUILDERS.get(address.type)
    if builder is None:
        raise configuration.methods[address].arguments.block_error(
            f"unknown type of method; known types are {', '.join(BUILDERS)}"
        )
    return builder(configuration.methods[address], configuration)


def _plain(data: bytes, chain: tuple[Reference, ...]) -> Opened:
    """Accept a plain state if the target has a method `unencrypted`. Raises EncryptionError."""
    check_plain_state(data)
    for place, address in enumerate(chain):
        if address.type == "unencrypted":
            return Opened(data, str(address), is_current=place == 0)
    raise EncryptionError(
        "this state is not encrypted, and the configuration does not accept plain states; to accept them, add a "
        "fallback to a method of type unencrypted"
    )


def _opened(
    envelope: Envelope, configuration: EncryptionConfiguration, chain: tuple[Reference, ...], first: Method, target: str
) -> Opened:
    """Decrypt an envelope with the first method that can read it. Raises EncryptionError."""
    failures: list[str] = []
    used: dict[str, str] = {}
    for place, address in enumerate(chain):
        method = first if place == 0 else _built(configuration, address)
        if isinstance(method, Unencrypted):
            continue
        _check_shared(method, address, used)
        used |= method.meta_keys
        try:
            plain = method.decrypt(envelope)
            return Opened(plain, str(address), place == 0, envelope, frozenset(method.meta_keys))
        except UnreadableError as error:
            failures.append(str(error))
    if not failures:
        raise EncryptionError(f"this {target} is encrypted, and the configuration has no method to decrypt it")
    failures += (f"{key}: {needed}" for key in sorted(envelope.meta) if (needed := needed_for(key)))
    keys = f" (it has metadata of {', '.join(sorted(envelope.meta))})" if envelope.meta else ""
    raise EncryptionError("\n  ".join([f"no method of the configuration can read this {target}{keys}:", *failures]))


def _check_shared(method: Method, address: Reference, used: dict[str, str]) -> None:
    """Raise EncryptionError if a fallback shares metadata with an earlier method: OpenTofu 1.10+ cannot read it."""
    shared = sorted(used.keys() & method.meta_keys.keys())
    if shared:
        raise EncryptionError(
            f"{address}: this fallback has the same key provider or alias as a method before it ({shared[0]}), so "
            "OpenTofu cannot read with it. Give the new key provider its own name; to read the state now, put this "
            "method first"
        )


def identity_differs(envelope: Envelope, plain: bytes) -> list[str]:
    """Return which of serial and lineage differ between the envelope and the state. Raises EncryptionError."""
    inside = identity_of(plain)
    differ = []
    if envelope.serial is not None and inside.serial is not None and envelope.serial != inside.serial:
        differ.append("serial")
    if envelope.lineage and envelope.lineage != inside.lineage:
        differ.append("lineage")
    return differ


# A plan is a zip file; it can be encrypted like a state.
_ZIP = b"PK\x03\x04"
_NAMES = frozenset({"serial", "lineage", "version", "terraform_version"})


@dataclass(frozen=True, slots=True)
class Identity:
    """The serial and lineage of a state, which its envelope repeats; None and "" if missing."""

    serial: int | None
    lineage: str


def identity_of(plain: bytes) -> Identity:
    """Return the identity of a plain state. Raises EncryptionError if it is no JSON object or a member is invalid."""
    document = _members(plain)
    try:
        return Identity(
            whole_number(member(document, "serial"), "serial"), text(member(document, "lineage"), "lineage")
        )
    except ValueError as error:
        raise EncryptionError(f"the plain state: {error}") from None


def check_plain_state(plain: bytes) -> None:
    """Raise EncryptionError if the bytes cannot be a plain state."""
    document = _members(plain)
    version, release = member(document, "version"), member(document, "terraform_version")
    is_text = isinstance(release, str) and not isinstance(release, NumberText) and release
    # OpenTofu requires only terraform_version here; statetool also accepts states without it.
    if not is_text and not (isinstance(version, NumberText) and version.isdigit()):
        raise EncryptionError("this is neither an encrypted nor a plain state")


def _members(plain: bytes) -> Members:
    if plain.startswith(_ZIP):
        raise EncryptionError("this is a plan file, not a state; `tofu show` reads it")
    try:
        raw = msgspec.json.decode(plain, type=dict[str, Raw])
        return Members((name, loads_exact(bytes(value))) for name, value in raw.items() if fold_name(name) in _NAMES)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        pass
    try:
        value: JSONValue = loads_exact(plain, replace_invalid=True)
        return json_object(value, "it")
    except ValueError as error:
        raise EncryptionError(f"the plain state is invalid: {error}") from None
