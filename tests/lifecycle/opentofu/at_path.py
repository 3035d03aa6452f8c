"""Follows paths into values with the rules of expressions: names and keys convert. Source: HCL `ApplyPath`."""

from __future__ import annotations

from typing import Final

from statefmt.model.cty import (
    DYNAMIC,
    NUMBER,
    STRING,
    CtyValueError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    TupleType,
    Type,
)
from statefmt.model.cty.data import CtyValue, Data, GetAttr, Path, PathIndex, UnknownData
from statefmt.model.cty.number import Number, counted
from statefmt.model.cty.parts import attribute, is_known, is_null, unknown
from tests.lifecycle.opentofu.convert import convert_value

# Equals -0, too.
_ZERO: Final = counted(0)


def at_path(value: CtyValue, path: Path) -> CtyValue | None:
    """Return the part of a value without marks to which a path leads; None if there is none.

    Parts of unknown values are unknown. Elements of sets have no path.
    """
    found: CtyValue | None = value
    for step in path:
        if found is None or is_null(found):
            return None
        found = _step(found, step)
    return found


def _step(value: CtyValue, step: GetAttr | PathIndex) -> CtyValue | None:
    of = value.type
    if isinstance(step, GetAttr):
        if isinstance(of, DynamicType):
            return unknown(DYNAMIC)
        return _member(value, step.name) if isinstance(of, (ObjectType, MapType)) else None
    key = _as_value(step.key)
    if is_null(key):
        return None
    if isinstance(of, DynamicType) or isinstance(key.type, DynamicType):
        return unknown(DYNAMIC)
    if isinstance(of, (ObjectType, MapType)):
        name = _converted(key, STRING)
        if isinstance(name, UnknownData):
            return unknown(of.element if isinstance(of, MapType) else DYNAMIC)
        return _member(value, name) if isinstance(name, str) else None
    if isinstance(of, (ListType, TupleType)):
        index = _converted(key, NUMBER)
        if isinstance(index, UnknownData):
            return unknown(of.element if isinstance(of, ListType) else DYNAMIC)
        return _element(value, of, index) if isinstance(index, Number) else None
    return None


def _member(value: CtyValue, name: str) -> CtyValue | None:
    of = value.type
    if isinstance(of, ObjectType):
        return attribute(value, name) if name in of.attributes else None
    assert isinstance(of, MapType)
    if not isinstance(value.data, dict):
        return unknown(of.element)
    return CtyValue(of.element, value.data[name]) if name in value.data else None


def _element(value: CtyValue, of: ListType | TupleType, number: Number) -> CtyValue | None:
    index = 0 if number == _ZERO else number.small_integer()
    if index is None or index < 0:
        return None
    if isinstance(of, ListType):
        if not isinstance(value.data, tuple):
            return unknown(of.element)
        return CtyValue(of.element, value.data[index]) if index < len(value.data) else None
    if index >= len(of.elements):
        return None
    if not is_known(value):
        return unknown(of.elements[index])
    assert isinstance(value.data, tuple)
    return CtyValue(of.elements[index], value.data[index])


def _converted(key: CtyValue, wanted: PrimitiveType) -> Data:
    """Return the key in the wanted type; None if it does not convert."""
    try:
        return convert_value(key, wanted).data
    except CtyValueError:
        return None


def _as_value(key: str | int | CtyValue) -> CtyValue:
    if isinstance(key, CtyValue):
        return key
    of: Type = STRING if isinstance(key, str) else NUMBER
    return CtyValue(of, key if isinstance(key, str) else counted(key))
