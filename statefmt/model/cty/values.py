"""Reads cty values from JSON by type, and writes them as cty does."""

from __future__ import annotations

from typing import Final

from statefmt.golang import encode_string, loads_exact
from statefmt.model.cty._as_written import as_written
from statefmt.model.cty._decode import decode
from statefmt.model.cty.data import CtyValue, Data, MarkedData, UnknownData
from statefmt.model.cty.decimals import format_shortest
from statefmt.model.cty.errors import CtyEncodeError, CtyValueError
from statefmt.model.cty.number import Number
from statefmt.model.cty.types import (
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    encode_type,
    parse_type,
)
from statefmt.text.pattern import pattern

# A string that stays unchanged when read and written: ASCII without escapes.
_PLAIN_STRING: Final = pattern(rb'"[ !#-%\'-;=?-\[\]-\x7f]*"')


def read_value(raw: bytes | None, of: Type) -> CtyValue:
    """Parse JSON by type, converting as go-cty's json.Unmarshal does.

    Strings and numbers convert into each other, `"1"` and `"0"` are bools, strings become NFC, sets are sorted
    and deduplicated, missing attributes are null, and a value of DYNAMIC is `{"value": …, "type": …}`. `raw` is
    valid JSON; None or empty if missing. Raises CtyValueError with go-cty's detail, also for values that crash
    go-cty (short tuples, collections of mixed types); it is a CtyPathError if the problem is in a part of the value.
    """
    if not raw:
        raise CtyValueError("EOF")
    try:
        return CtyValue(*decode(loads_exact(raw, replace_invalid=True), of))
    except CtyValueError:
        raise
    except ValueError as error:
        raise CtyValueError(str(error)) from None
    except RecursionError:
        raise CtyValueError("the value is nested too deeply") from None


def write_value(value: CtyValue, of: Type | None = None) -> bytes:
    """Encode a value as compact JSON, as go-cty's json.Marshal (within encoding/json) does.

    `of` is a type that the value conforms to, by default its own. Parts that are DYNAMIC in `of` are written with
    their own type. Raises CtyEncodeError for values that JSON cannot represent.
    """
    parts: list[bytes] = []
    try:
        _write(value.data, value.type, value.type if of is None else of, parts)
    except RecursionError:
        raise CtyEncodeError("the value is nested too deeply") from None
    return b"".join(parts)


def canonical_value(raw: bytes | None, of: Type) -> bytes:
    """Return the JSON that cty writes after reading `raw`, both by the type `of`.

    Idempotent. Raises CtyValueError, or its subclass CtyEncodeError if the value can be read but not written.
    """
    return write_value(read_value(raw, of), of)


def canonical_output(raw_value: bytes | None, raw_type: bytes | None) -> tuple[bytes, bytes]:
    """Return the members `value` and `type` that OpenTofu writes for an output it has read.

    The type written is that of the value, not the one read: `dynamic` is replaced by the actual type, and
    optional attributes become required unless the value is null. Raises CtyTypeError, CtyValueError and
    CtyEncodeError.
    """
    if raw_type == b'"string"' and raw_value and _PLAIN_STRING.fullmatch(raw_value):
        return raw_value, raw_type
    of = parse_type(raw_type)
    written = as_written(raw_value, of) if raw_value else None
    if written is not None:
        return written, encode_type(of)
    value = read_value(raw_value, of)
    return write_value(value), encode_type(value.type)


def _write(data: Data, own: Type, wanted: Type, parts: list[bytes]) -> None:
    if isinstance(wanted, DynamicType) and not isinstance(own, DynamicType):
        parts.append(b'{"value":')
        try:
            _write(data, own, own, parts)
        except CtyEncodeError as error:
            raise CtyEncodeError(f"failed to serialize value: {error.detail}") from None
        parts.append(b',"type":%b}' % encode_type(own))
    elif data is None:
        parts.append(b"null")
    elif isinstance(data, bool):
        parts.append(b"true" if data else b"false")
    elif isinstance(data, str):
        parts.append(encode_string(data))
    elif isinstance(data, Number):
        parts.append(format_shortest(data).encode("ascii"))
    elif isinstance(data, tuple):
        _write_array(data, own, wanted, parts)
    elif isinstance(data, UnknownData):
        raise CtyEncodeError("value is not known")
    elif isinstance(data, MarkedData):
        raise CtyEncodeError("value has marks, so it cannot be serialized as JSON")
    else:
        _write_object(data, own, wanted, parts)


def _write_array(data: tuple[Data, ...], own: Type, wanted: Type, parts: list[bytes]) -> None:
    separator = b"["
    for index, item in enumerate(data):
        parts.append(separator)
        separator = b","
        if isinstance(own, TupleType) and isinstance(wanted, TupleType):
            _write(item, own.elements[index], wanted.elements[index], parts)
        elif isinstance(own, (ListType, SetType)) and isinstance(wanted, (ListType, SetType)):
            _write(item, own.element, wanted.element, parts)
        else:
            raise CtyEncodeError("the value does not conform to the type")
    parts.append(b"]" if data else b"[]")


def _write_object(data: dict[str, Data], own: Type, wanted: Type, parts: list[bytes]) -> None:
    separator = b"{"
    # Code points sort like their UTF-8 bytes.
    for name in sorted(data):
        parts.append(separator)
        separator = b","
        parts.append(encode_string(name) + b":")
        if isinstance(own, ObjectType) and isinstance(wanted, ObjectType):
            _write(data[name], own.attributes[name], wanted.attributes[name], parts)
        elif isinstance(own, MapType) and isinstance(wanted, MapType):
            _write(data[name], own.element, wanted.element, parts)
        else:
            raise CtyEncodeError("the value does not conform to the type")
    parts.append(b"}" if data else b"{}")
