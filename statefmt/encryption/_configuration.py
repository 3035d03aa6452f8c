"""Defines encryption configurations as values, independent of syntax; reads them from blocks, and merges them.

They are merged as OpenTofu merges TF_ENCRYPTION into the block of the module. Source: OpenTofu
`internal/encryption/config/config_merge.go`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from statefmt.encryption._program import Origin, Program
from statefmt.model.cty import CtyEncodeError
from statefmt.model.cty.number import Number, format_shortest, parse_number
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
            alias = _arguments(str(address), block).converted_text(ALIAS)
            providers[address] = KeyProviderBlock(address, _arguments(str(address), block, ALIAS), alias or "")
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
    method = arguments.value("method")
    if "method" in arguments.values and not (isinstance(method, Reference) and method.root == "method"):
        raise arguments.error("method", "must name a method: method.TYPE.NAME")
    assert method is None or isinstance(method, Reference)
    return Target(method, fallbacks[0] if fallbacks else None, enforced)


# Names may begin with a digit, but references to them cannot.
_REFERENCE: Final = re.compile(r"(key_provider|method)\.([A-Za-z_][A-Za-z0-9_-]*)\.([A-Za-z_][A-Za-z0-9_-]*)")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a block; `root` is `key_provider` or `method`."""

    root: str
    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.root}.{self.type}.{self.name}"


@dataclass(frozen=True, slots=True)
class Unread:
    """An expression that could not be evaluated; `problem` is the reason, reported only if the value is used."""

    problem: str


# Strings are in Unicode NFC, as always in the configuration language.
ArgumentValue: TypeAlias = (
    "bool | Number | str | Reference | Unread | list[ArgumentValue] | dict[str, ArgumentValue] | None"
)


@dataclass(frozen=True, slots=True)
class ArgumentBlock:
    """One unchecked block of a configuration, converted from HCL in either syntax.

    `type` and `labels` are its header. Attributes can be secrets, so `repr` omits them. `place` is the position of the
    header, such as `main.tf:3,1-25`; `places` are those of the attributes, and `origins` the configurations that their
    values come from.
    """

    type: str
    labels: tuple[str, ...] = ()
    attributes: Mapping[str, ArgumentValue] = field(default_factory=dict, repr=False)
    blocks: tuple[ArgumentBlock, ...] = ()
    place: str = ""
    places: Mapping[str, str] = field(default_factory=dict, repr=False)
    origins: Mapping[str, Origin] = field(default_factory=dict, repr=False)


def parse_reference(text: str) -> Reference | None:
    """Parse a reference; None if the text is not one."""
    found = _REFERENCE.fullmatch(text)
    return None if found is None else Reference(found[1], found[2], found[3])


def type_name(value: ArgumentValue) -> str:
    """Return the type of a value for messages, which must not show the value itself."""
    if value is None:
        return "null"
    names = {
        bool: "a boolean",
        Number: "a number",
        str: "a string",
        Reference: "a reference",
        Unread: "an expression",
        list: "a list",
    }
    return names.get(type(value), "an object")


_HIGHEST_BYTE: Final = 255
_TRUTHS: Final = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a block. `block` is its address for messages: `key_provider.pbkdf2.main`.

    `place` is the position of the block, `places` are those of the arguments and `origins` the configurations that they
    come from; `blocks` are the types of nested blocks.
    """

    block: str
    values: Mapping[str, ArgumentValue] = field(repr=False)
    places: Mapping[str, str] = field(default_factory=dict, repr=False)
    origins: Mapping[str, Origin] = field(default_factory=dict, repr=False)
    blocks: tuple[str, ...] = ()
    place: str = ""

    def allow(self, *names: str) -> None:
        """Raise ConfigurationError if the block has any other argument or a nested block."""
        for type_ in self.blocks:
            raise self.error(type_, "unknown block")
        for name in self.values:
            if name not in names:
                allowed = f"expected {', '.join(names)}" if names else "the block takes none"
                raise self.error(name, f"unknown argument; {allowed}")

    def value(self, name: str) -> ArgumentValue:
        """Return an argument, None if missing. Raises ConfigurationError if it could not be evaluated."""
        value = self.values.get(name)
        if isinstance(value, Unread):
            raise self.error(name, value.problem)
        return value

    def text(self, name: str) -> str | None:
        """Return a string, None if missing."""
        if name not in self.values:
            return None
        value = self.value(name)
        if not isinstance(value, str):
            raise self.error(name, f"must be a string in quotes, not {type_name(value)}")
        return value

    def converted_text(self, name: str) -> str | None:
        """Return a string, None if missing; converts numbers and booleans, as the configuration language does."""
        if name not in self.values:
            return None
        found = as_text(self.value(name))
        if found is None:
            raise self.error(name, f"must be a string in quotes, not {type_name(self.value(name))}")
        return found

    def truth(self, name: str) -> bool:
        """Return a boolean, which may be in quotes; False if missing."""
        if name not in self.values:
            return False
        value = self.value(name)
        if isinstance(value, str):
            value = _TRUTHS.get(value, value)
        if not isinstance(value, bool):
            raise self.error(name, f"must be true or false, not {type_name(value)}")
        return value

    def whole_number(self, name: str, default: int) -> int:
        """Return a whole number. OpenTofu 1.12 ignores a fraction and crashes on any other type."""
        if name not in self.values:
            return default
        value = self.value(name)
        if not isinstance(value, Number):
            raise self.error(name, f"must be a number without quotes, not {type_name(value)}")
        number = _whole(value)
        if number is None:
            raise self.error(name, "must be a whole number of at most 64 bits")
        return number

    def byte_list(self, name: str) -> bytes:
        """Return a list of byte values, empty if missing or null."""
        return byte_list(self, name, self.value(name))

    def program(self, name: str) -> Program:
        """Return a command: a list of strings, of which the first is not empty."""
        value = self.value(name)
        if not isinstance(value, list) or not value:
            given = "is missing" if name not in self.values else f"is {type_name(value)}" if value != [] else "is empty"
            raise self.error(name, f"must be a list of strings, the program and its arguments, but {given}")
        words = []
        for item in value:
            word = as_text(item)
            if word is None or "\0" in word:
                raise self.error(name, f"must be a list of strings, but has {type_name(item)} in it")
            words.append(word)
        if not words[0]:
            raise self.error(name, "the name of the program is empty")
        return Program(tuple(words), self.block, self.places.get(name, self.place), self.origins.get(name))

    def error(self, name: str, problem: str) -> ConfigurationError:
        """Return the error for an argument of this block."""
        place = self.places.get(name.partition(".")[0])
        return ConfigurationError(f"{self.block}, {name}: {problem}{f' ({place})' if place else ''}")

    def block_error(self, problem: str) -> ConfigurationError:
        """Return the error for this block as a whole."""
        return ConfigurationError(f"{self.block}: {problem}{f' ({self.place})' if self.place else ''}")


def as_text(value: ArgumentValue) -> str | None:
    """Convert a value to a string as the configuration language does; None if it does not."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        try:
            return format_shortest(value)
        except CtyEncodeError:
            return None
    return value if isinstance(value, str) else None


def byte_list(arguments: Arguments, name: str, value: ArgumentValue) -> bytes:
    """Convert a list of numbers from 0 to 255, which may be in quotes, to bytes. None gives no bytes."""
    if value is None:
        return b""
    if not isinstance(value, list):
        raise arguments.error(name, f"must be a list of byte values such as [1, 2, 255], not {type_name(value)}")
    numbers = []
    for item in value:
        given = parse_number(item) if isinstance(item, str) else item
        number = _whole(given) if isinstance(given, Number) else None
        if number is None or not 0 <= number <= _HIGHEST_BYTE:
            raise arguments.error(name, "must contain only whole numbers from 0 to 255")
        numbers.append(number)
    return bytes(numbers)


def _whole(value: Number) -> int | None:
    """Convert to a whole number of at most 64 bits; None if it is not one."""
    number = value.small_integer()
    return number if number is not None and -(2**63) <= number < 2**63 else None


def merged(base: EncryptionConfiguration, over: EncryptionConfiguration) -> EncryptionConfiguration:
    """Merge the blocks of `over` into those of `base`, argument by argument.

    Raises ConfigurationError if `over` changes the alias of a provider's metadata, which OpenTofu ignores, or if one of
    its targets has no method, since OpenTofu then ignores the method of `base`.
    """
    providers = dict(base.key_providers)
    for address, provider in over.key_providers.items():
        providers[address] = _provider(providers[address], provider) if address in providers else provider
    methods = dict(base.methods)
    for address, method in over.methods.items():
        old = methods.get(address)
        methods[address] = replace(old, arguments=_merged_arguments(old.arguments, method.arguments)) if old else method
    targets = dict(base.targets)
    for name, target in over.targets.items():
        targets[name] = _merged_target(name, targets[name], target) if name in targets else target
    return EncryptionConfiguration(providers, methods, targets)


def _provider(base: KeyProviderBlock, over: KeyProviderBlock) -> KeyProviderBlock:
    if over.alias not in ("", base.alias):
        raise ConfigurationError(
            f"{over.address}, {ALIAS}: OpenTofu ignores it in a block that overrides another; set it in the overridden "
            "block"
        )
    return replace(base, arguments=_merged_arguments(base.arguments, over.arguments))


def _merged_arguments(base: Arguments, over: Arguments) -> Arguments:
    blocks = tuple(dict.fromkeys((*over.blocks, *base.blocks)))
    return Arguments(
        base.block,
        {**base.values, **over.values},
        {**base.places, **over.places},
        {**base.origins, **over.origins},
        blocks,
        base.place,
    )


def _merged_target(name: str, base: Target, over: Target) -> Target:
    if over.method is None:
        raise ConfigurationError(
            f"{name}: the overriding block has no method, and OpenTofu does not take the one of the overridden block; "
            "repeat the method"
        )
    return Target(over.method, over.fallback or base.fallback, base.enforced or over.enforced)
