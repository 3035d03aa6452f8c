"""Reading the arguments of one block, each as the type that it must have. No message shows a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from statefmt.encryption.values import Unread, Value, type_name
from statefmt.errors import ConfigurationError

_DIGITS: Final = re.compile(r"[0-9]{1,3}")
_HIGHEST_BYTE: Final = 255


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a block, with its address for messages: `key_provider.pbkdf2.main`."""

    block: str
    values: Mapping[str, Value] = field(repr=False)

    def allow(self, *names: str) -> None:
        """Raises ConfigurationError where the block has any other argument."""
        for name in self.values:
            if name not in names:
                allowed = f"it takes {', '.join(names)}" if names else "it takes none"
                raise self.error(name, f"this argument is not known; {allowed}")

    def value(self, name: str) -> Value:
        """An argument as it is, None where it is not given. Raises ConfigurationError where it was not evaluated."""
        value = self.values.get(name)
        if isinstance(value, Unread):
            raise self.error(name, value.problem)
        return value

    def text(self, name: str) -> str | None:
        """A text, None where it is not given."""
        if name not in self.values:
            return None
        value = self.value(name)
        if not isinstance(value, str):
            raise self.error(name, f"must be a text in quotes, and is {type_name(value)}")
        return value

    def whole_number(self, name: str, default: int) -> int:
        """A whole number. OpenTofu 1.12 ignores one with a fraction, and fails in disorder for any other type."""
        if name not in self.values:
            return default
        value = self.value(name)
        if not isinstance(value, Decimal):
            raise self.error(name, f"must be a number without quotes, and is {type_name(value)}")
        number = _whole(value)
        if number is None:
            raise self.error(name, "must be a whole number of at most 64 bits")
        return number

    def byte_list(self, name: str) -> bytes:
        """A list of byte values, empty where it is not given or null."""
        return byte_list(self, name, self.value(name))

    def words(self, name: str) -> tuple[str, ...]:
        """A command: a list of texts, the first of which is not empty."""
        value = self.value(name)
        if not isinstance(value, list) or not value:
            given = "is missing" if name not in self.values else f"is {type_name(value)}" if value != [] else "is empty"
            raise self.error(name, f"must be a list of texts, the program and its arguments, and {given}")
        words = []
        for word in value:
            number = _whole(word) if isinstance(word, Decimal) else None
            if number is not None:
                words.append(str(number))
            elif isinstance(word, str) and "\0" not in word:
                words.append(word)
            else:
                raise self.error(name, f"must be a list of texts, and has {type_name(word)} in it")
        if not words[0]:
            raise self.error(name, "the name of the program is empty")
        return tuple(words)

    def error(self, name: str, problem: str) -> ConfigurationError:
        """The error for an argument of this block."""
        return ConfigurationError(f"{self.block}, {name}: {problem}")


def byte_list(arguments: Arguments, name: str, value: Value) -> bytes:
    """The bytes that a value is: a list of numbers from 0 to 255, which may be in quotes. None is no bytes."""
    if value is None:
        return b""
    if not isinstance(value, list):
        raise arguments.error(name, f"must be a list of byte values such as [1, 2, 255], and is {type_name(value)}")
    numbers = []
    for item in value:
        given = Decimal(item) if isinstance(item, str) and _DIGITS.fullmatch(item) else item
        number = _whole(given) if isinstance(given, Decimal) else None
        if number is None or not 0 <= number <= _HIGHEST_BYTE:
            raise arguments.error(name, "must have nothing but whole numbers from 0 to 255 in it")
        numbers.append(number)
    return bytes(numbers)


def _whole(value: Decimal) -> int | None:
    """The whole number of at most 64 bits that a number is, None where it is another one."""
    if not -(2**63) <= value < 2**63 or value != value.to_integral_value():
        return None
    return int(value)
