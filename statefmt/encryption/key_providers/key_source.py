"""Resolves arguments such as `keys = key_provider.pbkdf2.main` to key providers."""

from __future__ import annotations

from statefmt.encryption.configuration.arguments import Arguments, byte_list
from statefmt.encryption.configuration.model import EncryptionConfiguration
from statefmt.encryption.configuration.values import ArgumentValue, Reference, parse_reference, type_name
from statefmt.encryption.key_providers import BUILDERS
from statefmt.encryption.key_providers.keys import KeySource, LiteralKeys
from statefmt.encryption.secret import Secret
from statefmt.model.errors import ConfigurationError

_LITERAL = ("encryption_key", "decryption_key")


def key_source(configuration: EncryptionConfiguration, arguments: Arguments, name: str) -> KeySource:
    """Resolve an argument of a method to its keys.

    Raises ConfigurationError if it names no key provider, or if two providers in a chain use the same metadata key.
    """
    return _found(configuration, arguments, name, arguments.value(name), ())


def _found(
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
        source = _found(configuration, arguments, name, value, (*seen, block.address))
        if block.meta_key in source.meta_keys:
            raise ConfigurationError(
                f"{block.address} and {source.meta_keys[block.meta_key]} use the same key for their metadata; set "
                "encrypted_metadata_alias in one of them"
            )
        return source

    return builder(block, inner)


def _literal(arguments: Arguments, name: str, value: dict[str, ArgumentValue]) -> LiteralKeys:
    for key in value:
        if key not in _LITERAL:
            raise arguments.error(name, f"an object with keys may have only {' and '.join(_LITERAL)} as members")
    encryption, decryption = (byte_list(arguments, f"{name}.{key}", value.get(key)) for key in _LITERAL)
    if not encryption:
        raise arguments.error(
            f"{name}.{_LITERAL[0]}", f"is {type_name(value.get(_LITERAL[0]))}; expected a list of bytes"
        )
    return LiteralKeys(Secret(encryption), Secret(decryption) if decryption else None)
