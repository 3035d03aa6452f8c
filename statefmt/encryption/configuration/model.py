"""The encryption configuration as a value: key providers, methods and targets.

Source: OpenTofu `internal/encryption/config`, `targets.go`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from statefmt.encryption.configuration.arguments import Arguments
from statefmt.encryption.configuration.values import ArgumentBlock, ArgumentValue, Reference
from statefmt.model.errors import ConfigurationError

ALIAS: Final = "encrypted_metadata_alias"
_NAME: Final = re.compile(r"[a-zA-Z_0-9-]+")
_REMOTE: Final = "remote_state_data_sources"


@dataclass(frozen=True, slots=True)
class KeyProviderBlock:
    """A `key_provider` block. Like OpenTofu, interprets its arguments only when it is used."""

    address: Reference
    arguments: Arguments
    alias: str = ""

    @property
    def meta_key(self) -> str:
        """The key of this provider's metadata in an envelope."""
        return self.alias or str(self.address)


@dataclass(frozen=True, slots=True)
class MethodBlock:
    """A `method` block."""

    address: Reference
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Target:
    """A target such as `state`: `method` writes it and reads it first, then the fallbacks try to read it.

    `method` can be None until configurations have been merged.
    """

    method: Reference | None
    fallback: Target | None = None
    enforced: bool = False

    def chain(self) -> Iterator[Reference]:
        """Yield the methods in the order in which they read. Raises ConfigurationError if one is missing."""
        target: Target | None = self
        while target is not None:
            if target.method is None:
                raise ConfigurationError("state: every target and every fallback needs a method")
            yield target.method
            target = target.fallback


@dataclass(frozen=True, slots=True)
class EncryptionConfiguration:
    """An `encryption` block, as a value.

    Programs rarely need one: `statefmt.open()` also takes a file or the text of a configuration. The names of targets
    are `state`, `plan`, `remote_state_data_sources.default` and `remote_state_data_sources.NAME`.
    """

    key_providers: Mapping[Reference, KeyProviderBlock] = field(default_factory=dict)
    methods: Mapping[Reference, MethodBlock] = field(default_factory=dict)
    targets: Mapping[str, Target] = field(default_factory=dict)


def configuration_of(blocks: Iterable[ArgumentBlock]) -> EncryptionConfiguration:
    """Build a configuration from the blocks inside an `encryption` block. Raises ConfigurationError."""
    providers: dict[Reference, KeyProviderBlock] = {}
    methods: dict[Reference, MethodBlock] = {}
    targets: dict[str, Target] = {}
    for block in blocks:
        if block.type == "key_provider":
            address = _address(block, providers)
            providers[address] = _key_provider(address, block)
        elif block.type == "method":
            address = _address(block, methods)
            methods[address] = MethodBlock(address, _arguments(str(address), block))
        elif block.type in ("state", "plan"):
            _add(targets, block, block.type, _target(block, block.type, ("enforced",)))
        elif block.type == _REMOTE:
            if any(name.startswith(_REMOTE) for name in targets):
                raise _error(block, f"{_REMOTE}: duplicate block")
            for inner, name, target in _remote_targets(block):
                _add(targets, inner, name, target)
        else:
            raise _error(block, f"{block.type}: unknown block; expected the contents of an encryption block")
    return EncryptionConfiguration(providers, methods, targets)


def _error(block: ArgumentBlock, text: str) -> ConfigurationError:
    return ConfigurationError(f"{text} ({block.place})" if block.place else text)


def _arguments(address: str, block: ArgumentBlock, *but: str) -> Arguments:
    values = {name: value for name, value in block.attributes.items() if name not in but}
    blocks = tuple(inner.type for inner in block.blocks)
    return Arguments(address, values, block.places, block.origins, blocks, block.place)


def _address(block: ArgumentBlock, known: Mapping[Reference, object]) -> Reference:
    if len(block.labels) != 2:
        raise _error(block, f"{block.type}: the block needs two labels, its type and its name")
    address = Reference(block.type, *block.labels)
    for label in block.labels:
        if not _NAME.fullmatch(label):
            raise _error(block, f"{block.type}: names may contain only letters, digits, _ and -, not {label!r}")
    if address in known:
        raise _error(block, f"{address}: duplicate block")
    return address


def _key_provider(address: Reference, block: ArgumentBlock) -> KeyProviderBlock:
    alias = _arguments(str(address), block).converted_text(ALIAS)
    return KeyProviderBlock(address, _arguments(str(address), block, ALIAS), alias or "")


def _add(targets: dict[str, Target], block: ArgumentBlock, name: str, target: Target) -> None:
    if name in targets:
        raise _error(block, f"{name}: duplicate block")
    targets[name] = target


def _remote_targets(block: ArgumentBlock) -> Iterator[tuple[ArgumentBlock, str, Target]]:
    Arguments(_REMOTE, block.attributes, block.places).allow()
    for inner in block.blocks:
        wanted = {"default": 0, "remote_state_data_source": 1}.get(inner.type)
        if wanted is None or len(inner.labels) != wanted:
            raise _error(inner, f'{_REMOTE}: only blocks default and remote_state_data_source "NAME" are allowed')
        name = f"{_REMOTE}.{inner.labels[0] if inner.labels else inner.type}"
        yield inner, name, _target(inner, name, ())


def _target(block: ArgumentBlock, where: str, more: Sequence[str]) -> Target:
    arguments = Arguments(where, block.attributes, block.places)
    arguments.allow("method", *more)
    enforced = arguments.truth("enforced")
    fallbacks = [_target(inner, f"{where}.fallback", ()) for inner in block.blocks if inner.type == "fallback"]
    if len(fallbacks) > 1 or len(fallbacks) < len(block.blocks):
        raise _error(block, f"{where}: at most one fallback block and no other blocks are allowed")
    method = _method(arguments, arguments.value("method")) if "method" in arguments.values else None
    return Target(method, fallbacks[0] if fallbacks else None, enforced)


def _method(arguments: Arguments, value: ArgumentValue) -> Reference:
    if not isinstance(value, Reference) or value.root != "method":
        raise arguments.error("method", "must name a method: method.TYPE.NAME")
    return value
