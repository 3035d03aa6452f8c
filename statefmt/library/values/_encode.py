"""Turns Python values into JSON, for attributes that are set."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite

from statefmt.golang import JSONValue, Members, NumberText
from statefmt.library.values._number import ExactDecimal
from statefmt.library.values._sensitive import Sensitive
from statefmt.redaction.partial import exact_text


def json_text(value: object) -> bytes:
    """Write a value as compact JSON; numbers of a state keep their text.

    Takes None, bool, int, float, Decimal, str, lists, tuples and mappings with string keys. Raises TypeError for
    anything else, also for a Sensitive: whoever writes its value calls `reveal()`. Raises ValueError for a number that
    is not finite and for values nested too deeply.

        >>> json_text({"size": 10, "ratio": Decimal("1.50")})
        b'{"size":10,"ratio":1.50}'
    """
    try:
        return exact_text(_node(value))
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None


def _node(value: object) -> JSONValue:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float, Decimal)):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return [_node(item) for item in value]
    if isinstance(value, Mapping):
        return Members((_name(name), _node(item)) for name, item in value.items())
    if isinstance(value, Sensitive):
        raise TypeError("a sensitive value is not written as JSON; call .reveal() to get it")
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a name of type {type(name).__name__} cannot be written as JSON")
    return name


def _number(value: int | float | Decimal) -> NumberText:
    # Subclasses, such as those of IntEnum, may print otherwise.
    if isinstance(value, int):
        return NumberText(int.__repr__(value))
    if not isinstance(value, ExactDecimal) and not isfinite(value):
        raise ValueError(f"{value} cannot be written as JSON")
    return NumberText(float.__repr__(value) if isinstance(value, float) else value)
