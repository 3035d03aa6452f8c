"""Converts values from and to flatmaps."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.lifecycle.stored import ENTRY_COUNT, ITEM_COUNT, UNKNOWN_TEXT, FlatmapError, decode_flatmap
from statefmt.model.cty import STRING, CtyEncodeError, DynamicType, MapType, ObjectType, PrimitiveType, Type
from statefmt.model.cty.data import CtyValue, MarkedData, convert_primitive
from statefmt.model.cty.number import Number
from statefmt.model.cty.parts import elements, is_known, unknown


def from_flatmap(flatmap: Mapping[str, str] | None, of: Type) -> CtyValue:
    """Decode a flatmap by the type of an object; None is the null value."""
    return CtyValue(of, None) if flatmap is None else decode_flatmap(flatmap, of).value


def to_flatmap(value: CtyValue) -> dict[str, str] | None:
    """Encode an object as a flatmap with sorted keys; null is None.

    Null parts have no keys, and elements of sets are numbered. Only maps of primitive values can be read back. Raises
    FlatmapError for other values than objects, for marked ones, and for those that are nested too deeply or have
    numbers of more than 100,000 digits.
    """
    if value.data is None:
        return None
    if not isinstance(value.type, ObjectType):
        raise FlatmapError("only objects can be written as flatmaps", "", value.type)
    texts: dict[str, str] = {}
    try:
        _write_members(texts, "", value)
    except RecursionError:
        raise FlatmapError("the value is nested too deeply", "", value.type) from None
    return {key: texts[key] for key in sorted(texts)}


def _write(texts: dict[str, str], key: str, value: CtyValue) -> None:
    if isinstance(value.data, MarkedData):
        raise FlatmapError("flatmaps cannot have marks", key, value.type)
    if isinstance(value.type, (PrimitiveType, DynamicType)):
        if value.data is not None:
            texts[key] = _text(key, value)
    elif value.data is None:
        return
    elif isinstance(value.type, (ObjectType, MapType)):
        _write_members(texts, key + ".", value)
    else:
        _write_items(texts, key + ".", value)


def _text(key: str, value: CtyValue) -> str:
    data = value.data
    if isinstance(data, str):
        return data
    if not isinstance(data, (bool, Number)):
        return UNKNOWN_TEXT
    try:
        return str(convert_primitive(data, STRING))
    except CtyEncodeError as error:
        raise FlatmapError(str(error), key, value.type) from None


def _write_members(texts: dict[str, str], prefix: str, value: CtyValue) -> None:
    of = value.type
    if isinstance(value.data, MarkedData):
        raise FlatmapError("flatmaps cannot have marks", prefix, of)
    if isinstance(of, ObjectType) and not is_known(value):
        # There is no way to say that the whole object is unknown.
        for name, attribute in of.attributes.items():
            _write(texts, prefix + name, unknown(attribute))
        return
    count = 0
    if is_known(value):
        for key, member in elements(value):
            _write(texts, f"{prefix}{key}", member)
            count += 1
    if isinstance(of, MapType):
        texts[prefix + ENTRY_COUNT] = str(count) if is_known(value) else UNKNOWN_TEXT


def _write_items(texts: dict[str, str], prefix: str, value: CtyValue) -> None:
    if not is_known(value):
        texts[prefix + ITEM_COUNT] = UNKNOWN_TEXT
        return
    count = 0
    for _, item in elements(value):
        _write(texts, f"{prefix}{count}", item)
        count += 1
    texts[prefix + ITEM_COUNT] = str(count)
