"""Values made ready to be compared: numbers by value, JSON in texts as JSON, sets as sets."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import TypeAlias

from statefmt.golang import (
    JSONValue,
    Members,
    NumberText,
    loads_exact,
)

Plain: TypeAlias = "bool | str | Decimal | list[Plain] | dict[str, Plain] | frozenset[str] | None"


@dataclass(frozen=True, slots=True)
class Crossing:
    """The step from a text into the JSON that it holds."""

    @staticmethod
    def inside(value: JSONValue) -> JSONValue:
        """The value that a text encodes; any other value itself."""
        if not isinstance(value, str) or isinstance(value, NumberText):
            return value
        inner = _json_in(value)
        return value if inner is None else inner

    def __str__(self) -> str:
        return ""


def plain(value: JSONValue, *, exact: bool) -> Plain:
    """A value with its numbers as decimals, its objects as dictionaries, and texts that are JSON decoded.

    With `exact`, numbers and texts stay as they are written. A number that no decimal can hold stays as its text.
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


def with_sets(one: Plain, other: Plain) -> tuple[Plain, Plain]:
    """Both values with sets for the arrays that can be told to be sets: those of sorted texts, as sets are written."""
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = {name: with_sets(one[name], other[name]) for name in one.keys() & other.keys()}
        return (
            {name: pairs[name][0] if name in pairs else item for name, item in one.items()},
            {name: pairs[name][1] if name in pairs else item for name, item in other.items()},
        )
    if isinstance(one, list) and isinstance(other, list):
        first, second = _as_set(one), _as_set(other)
        if first is not None and second is not None:
            return first, second
        if len(one) == len(other):
            both = list(map(with_sets, one, other))
            return [pair[0] for pair in both], [pair[1] for pair in both]
    return one, other


def equal_values(one: Plain, other: Plain) -> bool:
    """Whether two values are equal; for Python, true and 1 are."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal_values(item, other[name]) for name, item in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal_values, one, other))
    return type(one) is type(other) and one == other


def _as_set(items: list[Plain]) -> frozenset[str] | None:
    texts = [item for item in items if type(item) is str]
    if len(texts) < len(items) or any(one >= other for one, other in pairwise(texts)):
        return None
    return frozenset(texts)


def _number(text: NumberText) -> Decimal | str:
    try:
        return Decimal(text)
    except ArithmeticError:
        return text


def _json_in(text: str) -> JSONValue:
    """The object or array that a text encodes; None where it is no such text."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return loads_exact(text.encode())
    except ValueError:
        return None
