"""Encrypting and decrypting states by a configuration: which method writes, and which of them reads.

Source: OpenTofu `internal/encryption/base.go`, `targets.go`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from statefmt.encryption._at_once import both
from statefmt.encryption._plaintext import check_plain_state, identity_of
from statefmt.encryption.configuration.model import EncryptionConfiguration
from statefmt.encryption.configuration.values import Reference
from statefmt.encryption.encoding.base64_text import NotBase64Error
from statefmt.encryption.envelope import (
    Envelope,
    EnvelopeLayout,
    frame,
    glance,
    parse_envelope,
)
from statefmt.encryption.key_providers.elsewhere import needed_for
from statefmt.encryption.methods import BUILDERS
from statefmt.encryption.methods.method import Method
from statefmt.encryption.methods.unencrypted import Unencrypted
from statefmt.encryption.randomness import Randomness
from statefmt.model.errors import (
    ConfigurationError,
    EncryptionError,
    KeyServiceError,
    UnreadableError,
)

STATE: Final = "state"
# From so many bytes on it takes less time to look at a state while it is encrypted.
_LARGE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Opened:
    """A state that was read: `method` is the address of what read it, and `envelope` is None where it was plain.

    `is_current` says that it is as the first method would write it; otherwise a fallback has read it. `meta_keys` are
    the keys of the metadata that the method makes use of.
    """

    plain: bytes = field(repr=False)
    method: str
    is_current: bool
    envelope: Envelope | None = field(default=None, repr=False)
    meta_keys: frozenset[str] = frozenset()


def check_configuration(configuration: EncryptionConfiguration, target: str = STATE) -> None:
    """Raises ConfigurationError where OpenTofu would refuse the configuration before it looks at any state."""
    _first(configuration, _chain(configuration, target), target)


def encrypts(configuration: EncryptionConfiguration, target: str = STATE) -> bool:
    """Whether what is written is encrypted at all. Raises ConfigurationError."""
    return not isinstance(_built(configuration, _chain(configuration, target)[0]), Unencrypted)


def encrypt(
    plain: bytes,
    configuration: EncryptionConfiguration,
    randomness: Randomness,
    layout: EnvelopeLayout = EnvelopeLayout.COMPACT,
    target: str = STATE,
) -> bytes:
    """A plain state, encrypted by the first method of the target.

    Raises ConfigurationError where the configuration is no good, EncryptionError where the bytes are no JSON object.
    """
    method = _first(configuration, _chain(configuration, target), target)
    if isinstance(method, Unencrypted):
        identity_of(plain)
        return plain
    if len(plain) < _LARGE:
        identity, sealed = identity_of(plain), method.encrypt(plain, randomness)
    else:
        identity, sealed = both(lambda: identity_of(plain), lambda: method.encrypt(plain, randomness))
    around = Envelope(identity.serial, identity.lineage, sealed.meta, b"", layout)
    return sealed.data.framed(*frame(around))


def encrypt_checked(
    plain: bytes,
    configuration: EncryptionConfiguration,
    randomness: Randomness,
    layout: EnvelopeLayout = EnvelopeLayout.COMPACT,
) -> bytes:
    """The same, tried out: raises EncryptionError where the result cannot be read, or is another state then.

    A program that encrypts may not be the one that decrypts, and a provider's key may be gone the next time.
    """
    encrypted = encrypt(plain, configuration, randomness, layout)
    if decrypt(encrypted, configuration).plain != plain:
        raise EncryptionError("what the method encrypts is not what it decrypts then; nothing was written")
    return encrypted


def decrypt(data: bytes, configuration: EncryptionConfiguration, target: str = STATE) -> Opened:
    """The plain state in some bytes, read by the first method of the target that can.

    Raises ConfigurationError where the configuration is no good, EncryptionError where the bytes cannot be read by it.
    """
    chain = _chain(configuration, target)
    first = _first(configuration, chain, target)
    envelope = glance(data)
    if envelope is None:
        return _plain(data, chain)
    opened = _opened_at_once(data, envelope, configuration, chain, first)
    _check_identity(envelope, opened.plain)
    return opened


def _first(configuration: EncryptionConfiguration, chain: tuple[Reference, ...], target: str) -> Method:
    """The method that writes. Other targets are looked at, too, since OpenTofu refuses the whole for one of them."""
    for other in configuration.targets:
        if other != target:
            # Keys of a service that only another target needs do not keep a state from being read.
            with suppress(KeyServiceError):
                _built(configuration, _chain(configuration, other)[0])
    return _built(configuration, chain[0])


def examine(data: bytes, configuration: EncryptionConfiguration, target: str = STATE) -> Opened:
    """The same for who wants to know what is wrong: the serial and the lineage outside may be other ones than inside.

    A plain state is taken whatever the configuration says, with no method; it is current where nothing is encrypted.
    """
    chain = _chain(configuration, target)
    first = _first(configuration, chain, target)
    envelope = glance(data)
    if envelope is None:
        return Opened(data, "", isinstance(first, Unencrypted))
    return _opened_at_once(data, envelope, configuration, chain, first)


def _opened_at_once(
    data: bytes, envelope: Envelope, configuration: EncryptionConfiguration, chain: tuple[Reference, ...], first: Method
) -> Opened:
    """What the first method that can makes of an envelope that was read at a glance."""
    try:
        return _opened(envelope, configuration, chain, first)
    except NotBase64Error:
        read = parse_envelope(data)
        assert read is not None
        return _opened(read, configuration, chain, first)


def _chain(configuration: EncryptionConfiguration, target: str) -> tuple[Reference, ...]:
    """The methods of a target, the one that writes first."""
    wanted = configuration.targets.get(target)
    if wanted is None:
        raise ConfigurationError(f"{target}: the configuration has no such block, so that nothing is encrypted by it")
    chain = tuple(wanted.chain())
    for address in chain:
        if address not in configuration.methods:
            raise ConfigurationError(f"{target}: there is no block {address}")
        if wanted.enforced and address.type == "unencrypted":
            raise ConfigurationError(f"{target}: {address} is in it, which enforced forbids")
    return chain


def _built(configuration: EncryptionConfiguration, address: Reference) -> Method:
    builder = BUILDERS.get(address.type)
    if builder is None:
        raise configuration.methods[address].arguments.block_error(
            f"there is no such type of method; there are {', '.join(BUILDERS)}"
        )
    return builder(configuration.methods[address], configuration)


def _plain(data: bytes, chain: tuple[Reference, ...]) -> Opened:
    """A plain state, if plain states are wanted."""
    check_plain_state(data)
    for place, address in enumerate(chain):
        if address.type == "unencrypted":
            return Opened(data, str(address), is_current=place == 0)
    raise EncryptionError(
        "this state is not encrypted, and the configuration takes no plain one; a fallback to a method of type "
        "unencrypted would"
    )


def _opened(
    envelope: Envelope, configuration: EncryptionConfiguration, chain: tuple[Reference, ...], first: Method
) -> Opened:
    """What the first method that can makes of an envelope."""
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
        raise EncryptionError("this state is encrypted, and the configuration has no method to decrypt it")
    failures += (f"{key}: {needed}" for key in sorted(envelope.meta) if (needed := needed_for(key)))
    keys = f" (it has metadata of {', '.join(sorted(envelope.meta))})" if envelope.meta else ""
    raise EncryptionError("\n  ".join([f"no method of the configuration can read this state{keys}:", *failures]))


def _check_shared(method: Method, address: Reference, used: dict[str, str]) -> None:
    """OpenTofu, since 1.10, cannot read by a fallback that has the metadata of a method before it."""
    shared = sorted(used.keys() & method.meta_keys.keys())
    if shared:
        raise EncryptionError(
            f"{address}: it is a fallback, and has the key provider or the alias of a method before it ({shared[0]}), "
            "so that OpenTofu cannot read with it. Give the new key provider a name of its own; to read the state now, "
            "put this method first"
        )


def _check_identity(envelope: Envelope, plain: bytes) -> None:
    """What stands outside is not authenticated, so it must be what stands inside."""
    for name in identity_differs(envelope, plain):
        raise EncryptionError(
            f"the {name} on the envelope is not the one of the state inside: the envelope was changed"
        )


def identity_differs(envelope: Envelope, plain: bytes) -> list[str]:
    """Which of serial and lineage stand on an envelope otherwise than in the state inside. Raises EncryptionError."""
    inside = identity_of(plain)
    differ = []
    if envelope.serial is not None and inside.serial is not None and envelope.serial != inside.serial:
        differ.append("serial")
    if envelope.lineage and envelope.lineage != inside.lineage:
        differ.append("lineage")
    return differ
