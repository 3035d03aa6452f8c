"""Replaces unknown values by nulls. Source: go-cty `UnknownAsNull`."""

from __future__ import annotations

from statefmt.model.cty.data import CtyValue, Data, MarkedData, UnknownData
from statefmt.model.cty.sets import make_set
from statefmt.model.cty.types import ListType, MapType, ObjectType, SetType, TupleType, Type


def unknown_as_null(value: CtyValue) -> CtyValue:
    """Return the value with null for each unknown part. Elements of sets that are equal then become one."""
    return CtyValue(value.type, _known(value.data, value.type))


def _known(data: Data, of: Type) -> Data:
    if isinstance(data, MarkedData):
        return MarkedData(data.marks, _known(data.data, of))
    if isinstance(data, UnknownData):
        return None
    if isinstance(data, tuple):
        if isinstance(of, TupleType):
            return tuple(map(_known, data, of.elements))
        assert isinstance(of, (ListType, SetType))
        items = [_known(item, of.element) for item in data]
        return make_set(of.element, items) if isinstance(of, SetType) else tuple(items)
    if isinstance(data, dict):
        assert isinstance(of, (MapType, ObjectType))
        types = of.attributes if isinstance(of, ObjectType) else dict.fromkeys(data, of.element)
        return {name: _known(item, types[name]) for name, item in data.items()}
    return data
