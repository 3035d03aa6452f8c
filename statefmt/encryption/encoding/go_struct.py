"""Reads members of a JSON object as Go's encoding/json decodes them into a struct."""

from __future__ import annotations

import re
from typing import Final

from statefmt.golang import JSONValue, Members, NumberText, fold_name, kind_name

_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")
_INT64_DIGITS: Final = 19


def members_named(document: Members, name: str) -> list[JSONValue]:
    """Return the values of all members with a name, in order. Like Go, ignores case."""
    return [value for given, value in document if given == name or fold_name(given) == name]


def member(document: Members, name: str) -> JSONValue:
    """Return the value that Go keeps: the last one that is not null, or None."""
    found = [value for value in members_named(document, name) if value is not None]
    return found[-1] if found else None


def text(value: JSONValue, name: str) -> str:
    """Check that a member is a string; return "" if it is missing. Raises ValueError."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, NumberText):
        return str(value)
    raise ValueError(f'"{name}" is not a string but of type {kind_name(value)}')


def whole_number(value: JSONValue, name: str) -> int | None:
    """Convert a member to a 64-bit whole number; return None if it is missing. Raises ValueError."""
    if value is None:
        return None
    if isinstance(value, NumberText):
        # Like Go, reject 3.0 and 3e0. The length limit keeps int() fast.
        digits = value.removeprefix("-")
        if _WHOLE.fullmatch(value) and len(digits) <= _INT64_DIGITS:
            number = int(value)
            if -(2**63) <= number < 2**63:
                return number
        raise ValueError(f'"{name}" is not a whole number of 64 bits')
    raise ValueError(f'"{name}" is not a number but of type {kind_name(value)}')


def json_object(value: JSONValue, what: str) -> Members:
    """Check that a value is an object. Raises ValueError."""
    if isinstance(value, Members):
        return value
    raise ValueError(f"{what} is not an object but of type {kind_name(value)}")
