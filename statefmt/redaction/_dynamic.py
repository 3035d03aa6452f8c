"""Unwraps values of dynamic type, which a state stores with their type: `{"value": …, "type": …}`.

A provider's own object with these two attributes looks almost the same, but OpenTofu sorts the attributes of an
object by name, so `type` comes first there and second in a wrapping.
Source: go-cty `cty/json/marshal.go` (marshalDynamic).
"""

from __future__ import annotations

from typing import Final

from msgspec import Raw

from statefmt.golang import JSONValue, Members
from statefmt.model.cty import CtyTypeError
from statefmt.model.cty.types import type_from_json
from statefmt.redaction.partial import Partial, decoded
from statefmt.text.pattern import pattern

_WRAPPING_START: Final = pattern(rb'\{\s*"value"\s*:')


class DynamicList(list[JSONValue]):
    """A list, set or tuple that was wrapped, and so cannot be a list of nested blocks."""

    __slots__ = ()


def unwrapped(value: Partial) -> Partial:
    """Remove all wrappings from a value. Returns the same value if it has none or is nested too deeply."""
    if not _may_wrap(value):
        return value
    try:
        return _unwrapped(decoded(value))
    except (ValueError, RecursionError):
        return value


def _may_wrap(value: Partial) -> bool:
    if isinstance(value, Raw):
        return _WRAPPING_START.search(memoryview(value)) is not None
    if isinstance(value, list):
        return any(map(_may_wrap, value))
    if isinstance(value, dict):
        return next(iter(value), "") == "value" or any(map(_may_wrap, value.values()))
    return False


def _unwrapped(value: JSONValue) -> JSONValue:
    if isinstance(value, list):
        return [_unwrapped(item) for item in value]
    if not isinstance(value, Members):
        return value
    if len(value) == 2 and value[0][0] == "value" and value[1][0] == "type" and _is_type(value[1][1]):
        inner = _unwrapped(value[0][1])
        return DynamicList(inner) if isinstance(inner, list) else inner
    return Members((name, _unwrapped(item)) for name, item in value)


def _is_type(value: JSONValue) -> bool:
    try:
        type_from_json(value)
    except CtyTypeError:
        return False
    return True
