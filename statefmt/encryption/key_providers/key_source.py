"""From an argument such as `keys = key_provider.pbkdf2.main` to the key provider itself."""

from __future__ import annotations

from statefmt.encryption.configuration.arguments import Arguments, byte_list
from statefmt.encryption.configuration.model import EncryptionConfiguration
from statefmt.encryption.configuration.values import (
    ArgumentValue,
    Reference,
    parse_reference,
    type_name,
)
from statefmt.encryption.key_providers import BUILDERS
from statefmt.encryption.key_providers.keys import KeySource, LiteralKeys
from statefmt.encryption.secret import Secret
from statefmt.model.errors import ConfigurationError

_LITERAL = ("encryption_key", "decryption_key")


def key_source(configuration: EncryptionConfiguration, arguments: Arguments, name: str) -> KeySource:
    """The keys that an argument of a method means. Raises ConfigurationError where there are none of the kind.

    Two providers that take part must not have the same key for their metadata.
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
        # OpenTofu takes a text for a reference, but not for what a key provider is chained to.
        value = parse_reference(value)
    if isinstance(value, dict):
        return _literal(arguments, name, value)
    if not isinstance(value, Reference) or value.root != "key_provider":
        raise arguments.error(name, "must name a key provider, key_provider.TYPE.NAME, or be an object with keys")
    block = configuration.key_providers.get(value)
    if block is None:
        raise arguments.error(name, f"there is no block {value}")
    if value in seen:
        raise arguments.error(name, f"the key providers go round in a circle: {' -> '.join(map(str, [*seen, value]))}")
    builder = BUILDERS.get(value.type)
    if builder is None:
        raise block.arguments.block_error(f"there is no such type of key provider; there are {', '.join(BUILDERS)}")

    def inner(arguments: Arguments, name: str, value: ArgumentValue) -> KeySource:
        source = _found(configuration, arguments, name, value, (*seen, block.address))
        if block.meta_key in source.meta_keys:
            raise ConfigurationError(
                f"{block.address} and {source.meta_keys[block.meta_key]} have the same key for their metadata; "
                "encrypted_metadata_alias gives one of them another"
            )
        return source

    return builder(block, inner)


def _literal(arguments: Arguments, name: str, value: dict[str, ArgumentValue]) -> LiteralKeys:
    for key in value:
        if key not in _LITERAL:
            raise arguments.error(name, f"an object with keys has {' and '.join(_LITERAL)} only")
    encryption, decryption = (byte_list(arguments, f"{name}.{key}", value.get(key)) for key in _LITERAL)
    if not encryption:
        raise arguments.error(
            f"{name}.{_LITERAL[0]}", f"is {type_name(value.get(_LITERAL[0]))}; a list of bytes is needed"
        )
    return LiteralKeys(Secret(encryption), Secret(decryption) if decryption else None)
