"""Infers the types of output values for formats that did not store them."""

from __future__ import annotations

from statefmt.golang import JSONValue, NumberText, encode_value, loads_exact, quote
from statefmt.model.cty.errors import CtyTypeError
from statefmt.model.cty.types import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    ListType,
    MapType,
    ObjectType,
    TupleType,
    Type,
    encode_type,
    object_type,
)


def implied_type(value: JSONValue) -> Type:
    """Infer the type of a JSON value as go-cty's json.ImpliedType does: tuples and objects; DYNAMIC for null.

    Raises CtyTypeError if a repeated member has values of different types.
    """
    if value is None:
        return DYNAMIC
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, NumberText):
        return NUMBER
    if isinstance(value, str):
        return STRING
    if isinstance(value, list):
        return TupleType(tuple(implied_type(item) for item in value))
    attributes: dict[str, Type] = {}
    for name, item in value:
        found = implied_type(item)
        if attributes.setdefault(name, found) != found:
            raise CtyTypeError(f"duplicate {quote(name)} property in JSON object")
    return object_type(attributes)


def simplify(of: Type) -> Type:
    """Turn tuples into lists and objects into maps if all parts have one type, as OpenTofu's v3 upgrade does."""
    if isinstance(of, TupleType) and of.elements:
        first = of.elements[0]
        return ListType(simplify(first)) if all(other == first for other in of.elements) else of
    if isinstance(of, ObjectType) and of.attributes:
        first = next(iter(of.attributes.values()))
        return MapType(simplify(first)) if all(other == first for other in of.attributes.values()) else of
    return of


def upgrade_output(value: JSONValue) -> tuple[bytes, bytes]:
    """Return the members `value` and `type` in the v4 form of a v3 output value.

    The value is encoded as from Go's interface{} (numbers become float64, members are sorted) and not yet
    canonical. Raises ValueError for numbers out of range and values nested too deeply.
    """
    encoded = encode_value(value)
    try:
        return encoded, encode_type(simplify(implied_type(loads_exact(encoded))))
    except RecursionError:
        raise CtyTypeError("the value is nested too deeply") from None
