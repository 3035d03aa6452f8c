"""Compares single values of plans and states, and models their differences."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from enum import Enum
from typing import Final, TypeAlias

import msgspec
from msgspec import Raw, Struct

from statefmt.formats.versions import object_members
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    element_type,
    member_type,
)
from statefmt.model.cty.number import Number, format_digits, from_int, parse_number

# JSON as the comparison decodes it: whole numbers are int, others Number.
Decoded: TypeAlias = "bool | int | Number | str | list[Decoded] | dict[str, Decoded] | None"
# The steps to a part: names and positions.
PathSteps: TypeAlias = tuple[str | int, ...]


class Absent(Enum):
    """The type of `ABSENT`, which stands for a missing value."""

    ABSENT = None


ABSENT: Final = Absent.ABSENT


class DifferenceKind(Enum):
    """The kind of a difference."""

    VALUE = "value"
    LENGTH = "length"
    ELEMENTS = "elements"
    ORDER = "order"
    MISSING = "missing"
    ADDED = "added"
    UNKNOWN = "unknown"
    TYPE = "type"


class Difference(Struct, frozen=True):
    """A part of a value that differs.

    `path` is its path in the plan, `tokens` its path in the state, where the value of a dynamic attribute is a
    separate member. `UNKNOWN` is a part that should be known after apply and is not, `TYPE` a part whose type is not
    `wanted`, the name of a type. `ORDER` is a list whose elements are in another order. With `by_position`, blocks
    were compared by position, as they were too many to be paired by content.
    """

    kind: DifferenceKind
    path: PathSteps
    tokens: PathSteps
    planned: Decoded | Absent = ABSENT
    actual: Decoded | Absent = ABSENT
    wanted: str = ""
    by_position: bool = False


UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError)
# The first bytes of objects and arrays.
CONTAINERS: Final = b"{["
_VALUE: Final = msgspec.json.Decoder(float_hook=lambda text: parse_number(text) or text)


def decoded(raw: Raw | bytes) -> Decoded:
    """Decode JSON with numbers of any size. Raises RecursionError if it is nested too deeply."""
    try:
        value: Decoded = _VALUE.decode(raw)
    except UNREADABLE:
        # Half a surrogate pair in an escape, which Go reads as U+FFFD.
        return _plain(loads_exact(bytes(raw), replace_invalid=True))
    return value


def _plain(value: JSONValue) -> Decoded:
    if isinstance(value, Members):
        return {name: _plain(member) for name, member in value}
    if isinstance(value, list):
        return [_plain(element) for element in value]
    if isinstance(value, NumberText):
        return parse_number(value) or str(value)
    return value


def same_text(one: Raw, other: Raw) -> bool:
    """Return whether two values have the same text, apart from white space between tokens."""
    if len(one) == len(other) and bytes(one) == bytes(other):
        return True
    if memoryview(one)[0] not in CONTAINERS or memoryview(other)[0] != memoryview(one)[0]:
        return False
    try:
        return msgspec.json.format(bytes(one), indent=-1) == msgspec.json.format(bytes(other), indent=-1)
    except UNREADABLE:
        return False


def attribute_texts(attributes: Raw) -> dict[str, bytes]:
    """Return the attributes of an object as JSON text by name; none if it is not an object."""
    if memoryview(attributes)[0] != ord("{"):
        return {}
    return {name: bytes(value) for name, value in object_members(attributes).items()}


def mask_of(raw: Raw | None) -> Decoded:
    """Return a decoded mask; False if nothing in it is true."""
    return False if raw is None or b"true" not in bytes(raw) else decoded(raw)


def true_paths(mask: Decoded, path: PathSteps = ()) -> Iterator[PathSteps]:
    """Yield the path of each part for which the mask is true."""
    if mask is True:
        yield path
    elif isinstance(mask, dict):
        for name, part in mask.items():
            yield from true_paths(part, (*path, name))
    elif isinstance(mask, list):
        for place, part in enumerate(mask):
            yield from true_paths(part, (*path, place))


_BOOLS: Final = {"true": True, "false": False}


def converted(value: Decoded, of: Type) -> Decoded:
    """Return a value of a primitive type as OpenTofu decodes it: a number for a string with a number."""
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
    """Return whether JSON has the encoding of a type, so that equal texts are equal values."""
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
    """Return whether two scalars are equal.

    `exact` is False if the type is unknown or comes only from a schema: then a number equals a string that represents
    it, as OpenTofu reads both as the same value.
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
    """Return whether a string represents a number or a bool."""
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
    """Return a hashable key of a value: equal for equal values. Ignores the order of set elements."""
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
