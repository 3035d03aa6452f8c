"""Prepares values for comparison: numbers by value, JSON in strings as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import TypeAlias

from statefmt.golang import JSONValue, Members, NumberText, loads_exact

Plain: TypeAlias = "bool | str | Decimal | list[Plain] | dict[str, Plain] | None"


@dataclass(frozen=True, slots=True)
class Crossing:
    """The step from a string into the JSON that it contains."""

    @staticmethod
    def inside(value: JSONValue) -> JSONValue:
        """Return the value that a string encodes; any other value unchanged."""
        if not isinstance(value, str) or isinstance(value, NumberText):
            return value
        inner = _json_in(value)
        return value if inner is None else inner

    def __str__(self) -> str:
        return ""


def plain(value: JSONValue, *, exact: bool) -> Plain:
    """Return a value with numbers as decimals, objects as dictionaries, and strings that contain JSON decoded.

    With `exact`, numbers and strings stay as written. A number that does not fit in a Decimal stays as written.
    """
    if isinstance(value, NumberText):
        return value if exact else _number(value)
    if isinstance(value, str):
        inner = None if exact else _json_in(value)
        return value if inner is None else plain(inner, exact=exact)
    if isinstance(value, Members):
        return {name: plain(item, exact=exact) for name, item in value}
    if isinstance(value, list):
        return [plain(item, exact=exact) for item in value]
    return value


def set_of_strings(items: list[Plain]) -> frozenset[str] | None:
    """Return a list that looks like a set, of sorted strings as sets are written, as one; None for any other list."""
    texts = [item for item in items if type(item) is str]
    if len(texts) < len(items) or any(one >= other for one, other in pairwise(texts)):
        return None
    return frozenset(texts)


def equal_values(one: Plain, other: Plain) -> bool:
    """Return whether two values are equal, distinguishing true from 1, which Python does not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal_values(item, other[name]) for name, item in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal_values, one, other))
    return type(one) is type(other) and one == other


def _number(text: NumberText) -> Decimal | str:
    try:
        return Decimal(text)
    except ArithmeticError:
        return text


def _json_in(text: str) -> JSONValue:
    """Return the object or array that a string encodes; None if it does not."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return loads_exact(text.encode())
    except ValueError:
        return None
