"""Checks quickly, without decoding, whether a value surely fits its type."""

from __future__ import annotations

import msgspec

from statefmt.lifecycle.schemas.deviations import JSONData
from statefmt.model.cty import CtyTypeError, parse_type
from statefmt.model.cty.types import (
    BOOL,
    NUMBER,
    STRING,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
)

_WRAPPING = {"type", "value"}


def surely_fits(of: Type, value: JSONData) -> bool:
    """Return True only if decoding the value by the type cannot fail; False if that has to be tried.

    Values that convert to another primitive type have to be tried. Raises RecursionError if the value is nested too
    deeply.
    """
    if value is None or of is STRING:
        return not isinstance(value, (dict, list))
    if of is NUMBER:
        return isinstance(value, int) and not isinstance(value, bool)
    if of is BOOL:
        return isinstance(value, bool)
    match of:
        case ListType(element) | SetType(element):
            return isinstance(value, list) and all(surely_fits(element, item) for item in value)
        case MapType(element):
            return isinstance(value, dict) and all(surely_fits(element, item) for item in value.values())
        case ObjectType(attributes):
            return (
                isinstance(value, dict)
                and value.keys() <= attributes.keys()
                and all(surely_fits(attributes[name], item) for name, item in value.items())
            )
        case TupleType(elements):
            return isinstance(value, list) and len(value) == len(elements) and all(map(surely_fits, elements, value))
        case DynamicType():
            return isinstance(value, dict) and value.keys() == _WRAPPING and _fits_own_type(value)
    return False


def _fits_own_type(wrapping: dict[str, JSONData]) -> bool:
    try:
        of = parse_type(msgspec.json.encode(wrapping["type"]))
    except CtyTypeError:
        return False
    # Nothing wraps a value of any type twice.
    return not isinstance(of, DynamicType) and surely_fits(of, wrapping["value"])
