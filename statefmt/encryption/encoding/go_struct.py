"""The members of a JSON object as Go's encoding/json puts them into a struct."""

from __future__ import annotations

import re
from typing import Final

from statefmt.golang import (
    JSONValue,
    Members,
    NumberText,
    kind_name,
)

_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")
_INT64_DIGITS: Final = 19


def members_named(document: Members, name: str) -> list[JSONValue]:
    """The values of every member of this name, in order. Go compares names without regard to case."""
    return [value for given, value in document if given == name or given.lower() == name]


def member(document: Members, name: str) -> JSONValue:
    """The value that Go keeps: the last one that is not null; None where there is none."""
    found = [value for value in members_named(document, name) if value is not None]
    return found[-1] if found else None


def text(value: JSONValue, name: str) -> str:
    """A member that is a text, "" where it is absent. Raises ValueError."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, NumberText):
        return str(value)
    raise ValueError(f'"{name}" is not a text but of type {kind_name(value)}')


def whole_number(value: JSONValue, name: str) -> int | None:
    """A member that is a whole number of 64 bits, None where it is absent. Raises ValueError."""
    if value is None:
        return None
    if isinstance(value, NumberText):
        # Not 3.0 and not 3e0 either, as in Go; and no long text is converted.
        digits = value.removeprefix("-")
        if _WHOLE.fullmatch(value) and len(digits) <= _INT64_DIGITS:
            number = int(value)
            if -(2**63) <= number < 2**63:
                return number
        raise ValueError(f'"{name}" is not a whole number of 64 bits')
    raise ValueError(f'"{name}" is not a number but of type {kind_name(value)}')


def json_object(value: JSONValue, what: str) -> Members:
    """A value that must be an object. Raises ValueError."""
    if isinstance(value, Members):
        return value
    raise ValueError(f"{what} is not an object but of type {kind_name(value)}")
