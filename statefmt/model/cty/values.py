"""Reads cty values from JSON by type, and writes them as cty does."""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

import msgspec

from statefmt.golang import JSONValue, Members, NumberText, compact, encode_string, escape_html, loads_exact, nfc, quote
from statefmt.model.cty import (
    BOOL,
    NUMBER,
    CtyEncodeError,
    CtyTypeError,
    CtyValueError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
    common_element_type,
    encode_type,
    object_type,
    parse_type,
    type_from_json,
)
from statefmt.model.cty.data import (
    CtyPathError,
    CtyValue,
    Data,
    GetAttr,
    MarkedData,
    PathIndex,
    UnknownData,
    convert_primitive,
    make_set,
)
from statefmt.model.cty.number import Number, format_shortest
from statefmt.text import pattern

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


def canonical_output(raw_value: bytes | None, raw_type: bytes | None) -> tuple[bytes, bytes]:
    """Return the members `value` and `type` that OpenTofu writes for an output it has read.

    The written type is the type of the value, not the type read: `dynamic` is replaced by the actual type, and
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


def decode(node: JSONValue, of: Type) -> tuple[Type, Data]:
    """Decode one value. Returns its data and its own type: `of` with dynamic and optional parts resolved.

    Raises CtyValueError, for a part of the value CtyPathError, and RecursionError if it is nested too deeply.
    """
    if node is None:
        return of, None
    match of:
        case PrimitiveType(name):
            return of, _decode_primitive(node, name)
        case DynamicType():
            return _decode_dynamic(node)
        case ListType(element):
            found, items = _decode_items(_array(node), of)
            return of if found is element else ListType(found), tuple(items)
        case SetType(element):
            found, items = _decode_items(_array(node), of)
            return of if found is element else SetType(found), make_set(found, items)
        case MapType(element):
            return _decode_map(_members(node), of, element)
        case TupleType(elements):
            return _decode_tuple(_array(node), of, elements)
        case ObjectType():
            return _decode_object(_members(node), of)


def _decode_primitive(node: JSONValue, name: str) -> Data:
    if isinstance(node, (list, Members)):
        raise CtyValueError(f"{name} is required")
    if name == "string":
        if isinstance(node, bool):
            return "true" if node else "false"
        return nfc(str(node))
    if name == "number":
        if isinstance(node, bool):
            raise CtyValueError("number is required")
        return convert_primitive(str(node), NUMBER)
    if isinstance(node, NumberText):
        raise CtyValueError("bool is required")
    return convert_primitive(nfc(node), BOOL) if isinstance(node, str) else node


def _decode_dynamic(node: JSONValue) -> tuple[Type, Data]:
    of: Type | None = None
    body: tuple[JSONValue] | None = None
    for name, item in _members(node):
        if name == "type":
            try:
                of = type_from_json(item)
            except CtyTypeError as error:
                detail = f"failed to decode type for dynamic value: {error.detail}"
                raise CtyValueError(detail) from None
        elif name == "value":
            body = (item,)
        else:
            raise CtyValueError(f"invalid key {quote(name)} in dynamically-typed value")
    if of is None:
        raise CtyValueError("missing type in dynamically-typed value")
    if body is None:
        raise CtyValueError("missing value in dynamically-typed value")
    return decode(body[0], of)


def _decode_items(nodes: list[JSONValue], of: ListType | SetType) -> tuple[Type, list[Data]]:
    element, types, items = of.element, list[Type](), list[Data]()
    try:
        if isinstance(element, PrimitiveType):
            for node in nodes:
                items.append(None if node is None else _decode_primitive(node, element.name))
            return element, items
        for node in nodes:
            own, data = decode(node, element)
            items.append(data)
            types.append(own)
    except CtyValueError as error:
        # go-cty cannot identify an element of a set that it has not read.
        key = CtyValue(element, UnknownData()) if isinstance(of, SetType) else len(items)
        raise CtyPathError.within(PathIndex(key), error) from None
    return common_element_type(types, element, "set" if isinstance(of, SetType) else "list"), items


def _decode_map(members: Members, of: MapType, element: Type) -> tuple[Type, Data]:
    pairs: dict[str, tuple[Type, Data]] = {}
    name = ""
    try:
        for name, node in members:
            pairs[name] = decode(node, element)
    except CtyValueError as error:
        raise CtyPathError.within(PathIndex(nfc(name)), error) from None
    found = common_element_type((own for own, _ in pairs.values()), element, "map")
    own = of if found is element else MapType(found)
    return own, {nfc(name): data for name, (_, data) in pairs.items()}


def _decode_tuple(nodes: list[JSONValue], of: TupleType, elements: tuple[Type, ...]) -> tuple[Type, Data]:
    pairs: list[tuple[Type, Data]] = []
    try:
        for node, element in zip(nodes, elements, strict=False):
            pairs.append(decode(node, element))
    except CtyValueError as error:
        raise CtyPathError.within(PathIndex(len(pairs)), error) from None
    if len(nodes) > len(elements):
        raise CtyValueError(f"too many tuple elements (need {len(elements)})")
    if len(nodes) < len(elements):
        # For a top-level tuple, go-cty crashes instead of reporting this.
        raise CtyValueError(f"not enough tuple elements (need {len(elements)})")
    found = tuple(own for own, _ in pairs)
    same = not of.as_null and all(own is element for own, element in zip(found, elements, strict=True))
    return of if same else TupleType(found), tuple(data for _, data in pairs)


def _decode_object(members: Members, of: ObjectType) -> tuple[Type, Data]:
    attributes = of.attributes
    pairs: dict[str, tuple[Type, Data]] = {}
    for name, node in members:
        # As in go-cty, names in the type are normalised but names in the value are not: they must already be NFC.
        attribute = attributes.get(name)
        if attribute is None:
            raise CtyValueError(f"unsupported attribute {quote(name)}")
        try:
            pairs[name] = decode(node, attribute)
        except CtyValueError as error:
            raise CtyPathError.within(GetAttr(name), error) from None
    data = {name: pairs[name][1] if name in pairs else None for name in attributes}
    if not of.optional and all(own is attributes[name] for name, (own, _) in pairs.items()):
        return of, data
    return object_type({name: pairs[name][0] if name in pairs else attributes[name] for name in attributes}), data


def _array(node: JSONValue) -> list[JSONValue]:
    if not isinstance(node, list):
        raise CtyValueError("missing expected [")
    return node


def _members(node: JSONValue) -> Members:
    if not isinstance(node, Members):
        raise CtyValueError("missing expected {")
    return node


_KINDS: Final[dict[str, set[type]]] = {"bool": {bool}, "number": {int, float}, "string": {str}}
_NOTHING: Final = type(None)


def as_written(raw: bytes, of: Type) -> bytes | None:
    """Return the compact text of a value if cty, given its type, certainly writes it unchanged; else None.

    `raw` is valid JSON. Dynamic types, optional attributes, sets of anything but strings, and numbers with an
    exponent are never certain.
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

    Checks many values in one call: the elements of all lists, or one attribute of all objects.
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
