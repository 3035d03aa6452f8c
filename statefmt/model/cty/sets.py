"""Deduplicates and sorts the elements of sets as cty does."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.golang import quote
from statefmt.model.cty.data import Data, MarkedData, UnknownData, has_unknown
from statefmt.model.cty.decimals import format_general
from statefmt.model.cty.number import Number
from statefmt.model.cty.types import BOOL, STRING, ListType, MapType, ObjectType, SetType, TupleType, Type


def make_set(element: Type, items: Sequence[Data]) -> tuple[Data, ...]:
    """Drop repeated elements and sort the rest as cty's set iterator does.

    Strings sort by their bytes, numbers by value, false before true, and compound values by the string that cty
    hashes; then come unknown elements, and null comes last. Elements with equal sort keys keep the order of `items`.
    Elements with unknown parts are all different, since nobody knows whether they are equal.
    """
    if element in (STRING, BOOL):
        distinct = sorted({item for item in items if isinstance(item, (str, bool))})
        unknown = [item for item in items if isinstance(item, UnknownData)]
        return (*distinct, *unknown, *((None,) if None in items else ()))
    buckets: dict[str, list[Data]] = {}
    for item in items:
        bucket = buckets.setdefault(_hash_text(element, item), [])
        if has_unknown(item) or item not in bucket:
            bucket.append(item)
    if _has_negative_zero(buckets):
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


def _hash_text(of: Type, data: Data) -> str:
    """Return the string that go-cty hashes (makeSetHashBytes)."""
    parts: list[str] = []
    _write_hash(of, data, parts)
    return "".join(parts)


def _write_hash(of: Type, data: Data, parts: list[str]) -> None:
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


def _has_negative_zero(buckets: dict[str, list[Data]]) -> bool:
    # A string may match, too, which only costs time.
    return any(text == "-0" or "-0;" in text for text in buckets)


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
            while place and _less((text, item), result[place - 1]):
                place -= 1
            result.insert(place, (text, item))
    return tuple(item for _, item in result)


def _less(left: tuple[str, Data], right: tuple[str, Data]) -> bool:
    return left[1] != right[1] and _order(left) < _order(right)
