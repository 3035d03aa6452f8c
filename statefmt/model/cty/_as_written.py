"""Proves in C code that JSON is already as cty writes it, as nearly every value in a state is."""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

import msgspec

from statefmt.golang import compact, escape_html
from statefmt.golang.normalize import nfc
from statefmt.model.cty.types import ListType, MapType, ObjectType, PrimitiveType, SetType, TupleType, Type

_KINDS: Final[dict[str, set[type]]] = {"bool": {bool}, "number": {int, float}, "string": {str}}
_NOTHING: Final = type(None)


def as_written(raw: bytes, of: Type) -> bytes | None:
    """Return the compact text of a value if cty, given its type, certainly writes it unchanged; else None.

    `raw` is valid JSON. Never certain are dynamic types, optional attributes, sets of anything but strings, and numbers
    with an exponent.
    """
    try:
        value = msgspec.json.decode(raw)
        text = msgspec.json.encode(value, order="sorted")
        written = escape_html(text)
        if written != compact(raw) or not _conform([value], of):
            return None
    except (msgspec.MsgspecError, UnicodeError, RecursionError, OverflowError):
        return None
    # If the whole text is in NFC, each string in it is.
    return written if text.isascii() or nfc(text.decode()) == text.decode() else None


def _conform(values: list[Any], of: Type) -> bool:
    """Return whether each value has the type or is null.

    Looks at many values at once: the elements of all lists, or one attribute of all objects.
    """
    kinds = set(map(type, values)) - {_NOTHING}
    if isinstance(of, PrimitiveType):
        return kinds <= _KINDS[of.name] and (of.name != "number" or all(map(_is_plain, values)))
    given = values if _NOTHING not in map(type, values) else [value for value in values if value is not None]
    match of:
        case ListType(element):
            return kinds <= {list} and _conform(list(chain.from_iterable(given)), element)
        case SetType(PrimitiveType("string")):
            strings = set(map(type, chain.from_iterable(given if kinds <= {list} else [[None]])))
            return strings <= {str} and all(sorted(set(value)) == value for value in given)
        case MapType(element):
            return kinds <= {dict} and _conform(list(chain.from_iterable(map(dict.values, given))), element)
        case ObjectType(attributes, optional):
            names = attributes.keys()
            return (
                not optional
                and kinds <= {dict}
                and all(value.keys() == names for value in given)
                and all(_conform([value[name] for value in given], one) for name, one in attributes.items())
            )
        case TupleType(elements, False):
            return (
                kinds <= {list}
                and all(len(value) == len(elements) for value in given)
                and all(_conform([value[place] for value in given], one) for place, one in enumerate(elements))
            )
    return False


def _is_plain(number: int | float | None) -> bool:
    """Return whether cty certainly writes a number as msgspec does: with all its digits, without an exponent."""
    if isinstance(number, float):
        return number % 1 != 0 and 1e-3 < abs(number) < 1e15
    return number is None or -(2**63) <= number < 2**64
