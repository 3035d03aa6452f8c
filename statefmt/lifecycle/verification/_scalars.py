"""Compares single values of JSON as cty values: numbers by value, and strings that stand for numbers and bools."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from statefmt.lifecycle.verification._difference import Decoded
from statefmt.model.cty import BOOL, NUMBER, STRING, MapType, Number, ObjectType, SetType, TupleType, Type, parse_number
from statefmt.model.cty.decimals import format_digits
from statefmt.model.cty.number import from_int
from statefmt.model.cty.types import DYNAMIC, ListType, element_type, member_type

_BOOLS: Final = {"true": True, "false": False}


def converted(value: Decoded, of: Type) -> Decoded:
    """Return what OpenTofu decodes a value of a primitive type as: a number for a string that stands for one."""
    if of == NUMBER and isinstance(value, str):
        number = parse_number(value)
        return value if number is None else number
    if of == BOOL and isinstance(value, str):
        return _BOOLS.get(value, value)
    if of == STRING and isinstance(value, bool):
        return "true" if value else "false"
    if of == STRING and isinstance(value, int):
        return str(value)
    if of == STRING and isinstance(value, Number):
        return format_digits(value)
    return value


def fits(value: Decoded, of: Type) -> bool:
    """Return whether JSON has the form that a type is written in, so that equal texts are equal values."""
    if value is None or of is DYNAMIC:
        return True
    if isinstance(value, str):
        return of == STRING
    if isinstance(value, bool):
        return of == BOOL
    if isinstance(value, dict):
        if isinstance(of, ObjectType):
            types = of.attributes
            return all(name in types and fits(member, types[name]) for name, member in value.items())
        return isinstance(of, MapType) and all(fits(member, of.element) for member in value.values())
    if isinstance(value, list):
        if isinstance(of, TupleType):
            return len(value) == len(of.elements) and all(map(fits, value, of.elements))
        return isinstance(of, ListType | SetType) and all(fits(element, of.element) for element in value)
    return of == NUMBER


def same_scalar(planned: Decoded, actual: Decoded, of: Type, exact: bool) -> bool:
    """Return whether two values that are no containers are equal.

    `exact` is False if the type is known from nowhere or only from a schema: then a number and a string that stands for
    it are equal, as OpenTofu reads both as the same value.
    """
    planned, actual = (planned if exact else converted(planned, of)), converted(actual, of)
    if is_number(planned) and is_number(actual):
        return number(planned) == number(actual)
    if type(planned) is type(actual):
        return planned == actual
    if exact or (of not in (DYNAMIC, STRING)):
        return False
    return _conversions_agree(planned, actual) or _conversions_agree(actual, planned)


def _conversions_agree(text: Decoded, other: Decoded) -> bool:
    """Return whether a string stands for a number or a bool."""
    if not isinstance(text, str):
        return False
    if isinstance(other, bool):
        return _BOOLS.get(text) is other
    if is_number(other):
        return parse_number(text) == number(other)
    return False


def is_number(value: object) -> bool:
    """Return whether a decoded value is a number."""
    return isinstance(value, Number) or (isinstance(value, int) and not isinstance(value, bool))


def number(value: object) -> Number | None:
    """Return a decoded number as a cty number."""
    return value if isinstance(value, Number) else from_int(value) if isinstance(value, int) else None


def identity_key(value: Decoded, of: Type) -> Hashable:
    """Return a hashable key of a value: equal for equal values. Elements of sets have no order."""
    value = converted(value, of)
    if isinstance(value, dict):
        return "object", frozenset(
            (name, identity_key(member, member_type(of, name)))
            for name, member in value.items()
            if member is not None or isinstance(of, MapType)
        )
    if isinstance(value, list):
        keys = [identity_key(element, element_type(of, place)) for place, element in enumerate(value)]
        return ("set", frozenset(keys)) if isinstance(of, SetType) else ("list", tuple(keys))
    if is_number(value):
        found = number(value)
        assert found is not None
        return "number", found.order
    return type(value).__name__, value
