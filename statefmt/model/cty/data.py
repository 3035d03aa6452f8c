"""Defines cty values, their untyped data (meaningful only with a type), the order of sets, and paths into values.

Source of conversions between primitive types: go-cty `convert/conversion_primitive.go`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from statefmt.golang import quote
from statefmt.model.cty import (
    BOOL,
    NUMBER,
    STRING,
    CtyValueError,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
)
from statefmt.model.cty.number import Number, format_general, format_shortest, parse_number


class Bound(Struct, frozen=True):
    """One end of the range of an unknown number."""

    number: Number
    inclusive: bool = True


class Refinements(Struct, frozen=True):
    """Known properties of an unknown value. Lengths are collection lengths. Source: go-cty `unknown_refinement.go`."""

    not_null: bool = False
    prefix: str = ""
    low: Bound | None = None
    high: Bound | None = None
    min_length: int = 0
    max_length: int | None = None


NOTHING_KNOWN = Refinements()


class UnknownData(Struct, frozen=True):
    """The data of an unknown value."""

    refinements: Refinements = NOTHING_KNOWN


class MarkedData(Struct, frozen=True):
    """Data with marks, such as `sensitive`. `marks` is not empty, and `data` not itself MarkedData.

    As in go-cty, elements of sets have no marks of their own: they belong to the set.
    """

    marks: frozenset[str]
    data: Data


# Null is None; lists, sets and tuples are tuples; maps and objects are dicts.
# Only the lifecycle of resource instances has unknown and marked data: JSON contains neither.
Data: TypeAlias = "bool | str | Number | tuple[Data, ...] | dict[str, Data] | UnknownData | MarkedData | None"


class CtyValue(Struct, frozen=True):
    """A cty value: its own type and its data.

    `data` is None (null), bool, str, Number, a tuple (list, set, tuple) or a dict (map, object), each part possibly
    UnknownData or MarkedData. A value read as DYNAMIC has the type stored with it; DYNAMIC remains only for nulls,
    unknown values and empty collections.
    """

    type: Type
    data: Data


def has_unknown(data: Data) -> bool:
    """Return whether any part of `data` is unknown."""
    if isinstance(data, MarkedData):
        return has_unknown(data.data)
    if isinstance(data, tuple):
        return any(map(has_unknown, data))
    if isinstance(data, dict):
        return any(map(has_unknown, data.values()))
    return isinstance(data, UnknownData)


class GetAttr(Struct, frozen=True):
    """A step to the attribute `name` of an object."""

    name: str


class PathIndex(Struct, frozen=True):
    """A step to an element.

    `key` is a str (map), an int (list, tuple), or a CtyValue for anything else that OpenTofu accepts: fractions,
    bools, nulls, and the compound values that are "keys" of set elements.
    """

    key: str | int | CtyValue


PathStep: TypeAlias = GetAttr | PathIndex
Path: TypeAlias = tuple[PathStep, ...]


class CtyPathError(CtyValueError):
    """A part of a value that does not conform to its type. `path` leads to the part."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        # From the innermost to the outermost.
        self._steps: list[PathStep] = []

    @property
    def path(self) -> Path:
        return tuple(reversed(self._steps))

    @classmethod
    def within(cls, step: PathStep, error: CtyValueError) -> CtyPathError:
        """Return the error for the whole value if `error` concerns its part at `step`."""
        found = error if isinstance(error, cls) else cls(error.detail)
        found._steps.append(step)
        return found


def convert_primitive(data: bool | str | Number, wanted: PrimitiveType) -> bool | str | Number:
    """Convert data of another primitive type to `wanted`, of which one is STRING.

    Raises CtyValueError with go-cty's message, and CtyEncodeError for numbers of more than 100,000 digits.
    """
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, Number):
        if data.infinite:
            return "-Inf" if data.negative else "+Inf"
        return format_shortest(data)
    if wanted == NUMBER:
        number = parse_number(data)
        if number is None:
            raise CtyValueError("a number is required")
        return number
    assert wanted != STRING
    if data in ("true", "1"):
        return True
    if data in ("false", "0"):
        return False
    lower = data.lower()
    hint = f'; to convert from string, use lowercase "{lower}"' if lower in ("true", "false") else ""
    raise CtyValueError(f"a bool is required{hint}")


def make_set(element: Type, items: Sequence[Data]) -> tuple[Data, ...]:
    """Drop repeated elements and sort the rest as cty's set iterator does.

    Strings sort by their bytes, numbers by value, false before true, and compound values by the string that cty
    hashes; then come unknown elements, and null comes last. Elements with equal sort keys keep the order of `items`.
    Elements with unknown parts are all distinct, since they cannot be compared.
    """
    if element in (STRING, BOOL):
        distinct = sorted({item for item in items if isinstance(item, (str, bool))})
        unknown = [item for item in items if isinstance(item, UnknownData)]
        return (*distinct, *unknown, *((None,) if None in items else ()))
    buckets: dict[str, list[Data]] = {}
    for item in items:
        parts: list[str] = []
        _write_hash(element, item, parts)
        bucket = buckets.setdefault("".join(parts), [])
        if has_unknown(item) or item not in bucket:
            bucket.append(item)
    # Some strings match, too, which only costs time.
    if any(text == "-0" or "-0;" in text for text in buckets):
        return _sort_with_negative_zero(buckets)
    flat = [(text, item) for text, bucket in buckets.items() for item in bucket]
    flat.sort(key=_order)
    return tuple(item for _, item in flat)


def _order(entry: tuple[str, Data]) -> tuple[int, tuple[int, int, int], str]:
    text, item = entry
    if isinstance(item, Number):
        return 0, item.order, ""
    # Code points sort like their UTF-8 bytes.
    return 2 if item is None else 1 if isinstance(item, UnknownData) else 0, (0, 0, 0), text


def _write_hash(of: Type, data: Data, parts: list[str]) -> None:
    """Append the parts of the string that go-cty hashes (makeSetHashBytes)."""
    if isinstance(data, MarkedData):
        _write_hash(of, data.data, parts)
    elif isinstance(data, UnknownData):
        parts.append("?")
    elif data is None:
        parts.append("~")
    elif isinstance(data, bool):
        parts.append("T" if data else "F")
    elif isinstance(data, str):
        parts.append(quote(data))
    elif isinstance(data, Number):
        parts.append(format_general(data))
    elif isinstance(data, dict):
        if isinstance(of, ObjectType):
            parts.append("<")
            for name, attribute in of.attributes.items():
                _write_hash(attribute, data[name], parts)
                parts.append(";")
            parts.append(">")
        elif isinstance(of, MapType):
            parts.append("{")
            for name in sorted(data):
                parts.append(quote(name) + ":")
                _write_hash(of.element, data[name], parts)
                parts.append(";")
            parts.append("}")
    elif isinstance(of, TupleType):
        parts.append("<")
        for element, item in zip(of.elements, data, strict=True):
            _write_hash(element, item, parts)
            parts.append(";")
        parts.append(">")
    elif isinstance(of, (ListType, SetType)):
        parts.append("[")
        for item in data:
            _write_hash(of.element, item, parts)
            parts.append(";")
        parts.append("]")


def _sort_with_negative_zero(buckets: dict[str, list[Data]]) -> tuple[Data, ...]:
    """Sort a set with both 0 and -0 as Go does: they are equal but hash differently, so they are two elements.

    The order is then inconsistent, and the result depends on the algorithm: an insertion sort that starts in the
    order of the hashes (as Go's stable sort does for up to 20 elements).
    """
    from binascii import crc32

    result: list[tuple[str, Data]] = []
    for text in sorted(buckets, key=lambda text: crc32(text.encode("utf-8"))):
        for item in buckets[text]:
            place = len(result)
            while place and item != result[place - 1][1] and _order((text, item)) < _order(result[place - 1]):
                place -= 1
            result.insert(place, (text, item))
    return tuple(item for _, item in result)
