"""Makes, takes apart and compares cty values, as go-cty does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from statefmt.model.cty import (
    CtyValueError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    object_type,
)
from statefmt.model.cty.data import CtyValue, Data, MarkedData, UnknownData, make_set
from statefmt.model.cty.parts import NO_MARKS


def null(of: Type) -> CtyValue:
    """Return the null value of a type."""
    return CtyValue(of, None)


def marks_deep(value: CtyValue) -> frozenset[str]:
    """Return the marks of the value and of its parts at any depth."""
    return _marks_within(value.data)


def length(value: CtyValue) -> int:
    """Return the number of parts of a known collection, tuple or object.

    Elements of a set that are not wholly known count each, although they may turn out to be equal. Raises
    CtyValueError for null, unknown and primitive values.
    """
    data = value.data.data if isinstance(value.data, MarkedData) else value.data
    if not isinstance(data, (tuple, dict)):
        raise CtyValueError("only known collections, tuples and objects have elements")
    return len(data)


def object_of(attributes: Mapping[str, CtyValue]) -> CtyValue:
    """Make an object of its attributes."""
    of = object_type({name: each.type for name, each in attributes.items()})
    return CtyValue(of, {name: attributes[name].data for name in of.attributes})


def tuple_of(items: Sequence[CtyValue]) -> CtyValue:
    """Make a tuple of its elements."""
    return CtyValue(TupleType(tuple(item.type for item in items)), tuple(item.data for item in items))


def list_of(items: Sequence[CtyValue], element: Type) -> CtyValue:
    """Make a list. `element` is the type of an empty list, and of elements of differing types.

    As in go-cty, elements of type DYNAMIC are allowed beside those of another type, which is then that of the list.
    """
    return CtyValue(ListType(_element_type(items, element)), tuple(item.data for item in items))


def map_of(items: Mapping[str, CtyValue], element: Type) -> CtyValue:
    """Make a map; `element` as for list_of()."""
    of = _element_type(list(items.values()), element)
    return CtyValue(MapType(of), {name: items[name].data for name in sorted(items)})


def have_one_type(items: Iterable[CtyValue]) -> bool:
    """Return whether the values can be elements of one list, set or map; elements of type DYNAMIC always can."""
    types = [item.type for item in items if not isinstance(item.type, DynamicType)]
    return all(of == types[0] for of in types)


def same(left: CtyValue, right: CtyValue) -> bool:
    """Return whether both have the same type, data, marks and unknown parts, as go-cty's RawEquals does."""
    return left.type == right.type and left.data == right.data


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


def _element_type(items: Sequence[CtyValue], default: Type) -> Type:
    return next((item.type for item in items if not isinstance(item.type, DynamicType)), default)


def _marks_within(data: Data) -> frozenset[str]:
    if isinstance(data, MarkedData):
        return data.marks | _marks_within(data.data)
    if isinstance(data, tuple):
        return NO_MARKS.union(*map(_marks_within, data))
    if isinstance(data, dict):
        return NO_MARKS.union(*map(_marks_within, data.values()))
    return NO_MARKS
