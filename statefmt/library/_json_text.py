"""Writes Python values as JSON, for attributes that are set."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite

from statefmt.golang import JSONValue, Members, NumberText
from statefmt.redaction.partial import exact_text


def json_text(value: object) -> bytes:
    """Write a value as compact JSON. Raises TypeError for what JSON does not have, ValueError if it is not finite."""
    try:
        return exact_text(_node(value))
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None


def _node(value: object) -> JSONValue:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float, Decimal)):
        if not isfinite(value):
            raise ValueError("the number is not finite")
        if isinstance(value, Decimal):
            return NumberText(value)
        # Subclasses, such as those of IntEnum, may print otherwise.
        return NumberText(int.__repr__(value) if isinstance(value, int) else float.__repr__(value))
    if isinstance(value, (list, tuple)):
        return [_node(item) for item in value]
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return Members((str(name), _node(item)) for name, item in value.items())
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")
