"""Values of any type, which a state wraps with their type: `{"value": …, "type": …}`.

A provider's own object with these two attributes looks nearly the same, but OpenTofu writes the attributes of an
object in the order of their names, `type` first, and a wrapping the other way round.
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
    """A list, set or tuple that was wrapped: one that is certainly no list of nested blocks."""

    __slots__ = ()


def unwrapped(value: Partial) -> Partial:
    """The value without the wrappings in it, wherever one can be; the same value where there is none.

    What is nested deeper than Python can follow stays as it is.
    """
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
