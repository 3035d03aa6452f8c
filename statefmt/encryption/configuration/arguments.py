"""Reads the arguments of one block with their expected types. Messages never show a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from statefmt.encryption.configuration.values import ArgumentValue, Unread, type_name
from statefmt.encryption.origin import Origin
from statefmt.encryption.program import Program
from statefmt.model.cty import CtyEncodeError, Number, parse_number
from statefmt.model.cty.decimals import format_shortest
from statefmt.model.errors import ConfigurationError

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
