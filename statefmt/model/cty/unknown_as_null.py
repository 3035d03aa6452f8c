"""Replaces unknown values by null. Source: go-cty `UnknownAsNull`."""

from __future__ import annotations

from statefmt.model.cty.data import CtyValue, Data, MarkedData, UnknownData
from statefmt.model.cty.sets import make_set
from statefmt.model.cty.types import ListType, MapType, ObjectType, SetType, TupleType, Type


def unknown_as_null(value: CtyValue) -> CtyValue:
    """Return the value with null in place of each unknown part, as it is saved in a state. Marks stay.

    Raises RecursionError if the value is nested too deeply.
    """
    return CtyValue(value.type, _replaced(value.data, value.type))


def _replaced(data: Data, of: Type) -> Data:
    match data:
        case UnknownData():
            return None
        case MarkedData(marks, inner):
            return MarkedData(marks, _replaced(inner, of))
        case dict():
            assert isinstance(of, (ObjectType, MapType))
            types = of.attributes if isinstance(of, ObjectType) else dict.fromkeys(data, of.element)
            return {name: _replaced(item, types[name]) for name, item in data.items()}
        case tuple():
            if isinstance(of, TupleType):
                return tuple(_replaced(item, each) for item, each in zip(data, of.elements, strict=True))
            assert isinstance(of, (ListType, SetType))
            items = tuple(_replaced(item, of.element) for item in data)
            return make_set(of.element, items) if isinstance(of, SetType) else items
        case _:
            return data
