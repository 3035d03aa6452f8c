"""Takes cty values apart and puts them together, with unknown values and marks as go-cty handles them.

The data of a value has no types of its own: each function here pairs parts with their types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from statefmt.golang import quote
from statefmt.model.cty.data import CtyValue, Data, MarkedData, Refinements, UnknownData, has_unknown
from statefmt.model.cty.errors import CtyValueError
from statefmt.model.cty.sets import make_set
from statefmt.model.cty.types import DynamicType, ListType, MapType, ObjectType, SetType, TupleType, Type, object_type

NO_MARKS: frozenset[str] = frozenset()
_NO_PARTS = "only known collections, tuples and objects have elements"


def null(of: Type) -> CtyValue:
    """Return the null value of a type."""
    return CtyValue(of, None)


def unknown(of: Type, refinements: Refinements | None = None) -> CtyValue:
    """Return an unknown value of a type."""
    return CtyValue(of, UnknownData() if refinements is None else UnknownData(refinements))


def is_null(value: CtyValue) -> bool:
    """Return whether the value is known to be null; its marks do not matter."""
    return _plain(value.data) is None


def is_known(value: CtyValue) -> bool:
    """Return whether the value itself is known; parts of it may be unknown."""
    return not isinstance(_plain(value.data), UnknownData)


def is_wholly_known(value: CtyValue) -> bool:
    """Return whether the value and all of its parts are known."""
    return not has_unknown(value.data)


def marks(value: CtyValue) -> frozenset[str]:
    """Return the marks of the value itself, not those of its parts."""
    return value.data.marks if isinstance(value.data, MarkedData) else NO_MARKS


def unmarked(value: CtyValue) -> CtyValue:
    """Return the value without its own marks; its parts keep theirs."""
    return CtyValue(value.type, value.data.data) if isinstance(value.data, MarkedData) else value


def marks_deep(value: CtyValue) -> frozenset[str]:
    """Return the marks of the value and of its parts at any depth."""
    return _marks_within(value.data)


def unmarked_deep(value: CtyValue) -> CtyValue:
    """Return the value without marks at any depth."""
    return CtyValue(value.type, _without_marks(value.data))


def marked(value: CtyValue, more: frozenset[str]) -> CtyValue:
    """Return the value with more marks."""
    if not more:
        return value
    return CtyValue(value.type, MarkedData(marks(value) | more, _plain(value.data)))


def attribute(value: CtyValue, name: str) -> CtyValue:
    """Return an attribute of an object, which has the marks of the object, too.

    The attribute of an unknown object is unknown. Raises CtyValueError if the value is no object with such an
    attribute, or null.
    """
    of = value.type
    if isinstance(of, DynamicType) and not is_known(value):
        return marked(unknown(of), marks(value))
    if not isinstance(of, ObjectType) or name not in of.attributes:
        raise CtyValueError(f"attribute {quote(name)} is required")
    data = _plain(value.data)
    if data is None:
        raise CtyValueError("null has no attributes")
    if isinstance(data, UnknownData):
        return marked(unknown(of.attributes[name]), marks(value))
    assert isinstance(data, dict)
    return marked(CtyValue(of.attributes[name], data[name]), marks(value))


def elements(value: CtyValue) -> Iterator[tuple[str | int | CtyValue, CtyValue]]:
    """Yield key and value of each part of a known collection, tuple or object, without the marks of the whole.

    Keys are indexes (list, tuple), names (map, object; in bytewise order), or the element itself (set; in cty's
    order). Raises CtyValueError for null, unknown and primitive values, which have no parts.
    """
    of, data = value.type, _plain(value.data)
    if not isinstance(data, (tuple, dict)):
        raise CtyValueError(_NO_PARTS)
    if isinstance(data, tuple):
        for index, item in enumerate(data):
            if isinstance(of, TupleType):
                yield index, CtyValue(of.elements[index], item)
            elif isinstance(of, SetType):
                member = CtyValue(of.element, item)
                yield member, member
            else:
                assert isinstance(of, ListType)
                yield index, CtyValue(of.element, item)
    else:
        for name in sorted(data):
            if isinstance(of, ObjectType):
                yield name, CtyValue(of.attributes[name], data[name])
            else:
                assert isinstance(of, MapType)
                yield name, CtyValue(of.element, data[name])


def length(value: CtyValue) -> int:
    """Return the number of parts of a known collection, tuple or object.

    Elements of a set that are not wholly known count each, although they may turn out to be equal. Raises
    CtyValueError for null, unknown and primitive values.
    """
    data = _plain(value.data)
    if not isinstance(data, (tuple, dict)):
        raise CtyValueError(_NO_PARTS)
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


def set_of(items: Sequence[CtyValue], element: Type) -> CtyValue:
    """Make a set; `element` as for list_of(). Marks of elements at any depth become marks of the set."""
    of = _element_type(items, element)
    found = NO_MARKS.union(*(_marks_within(item.data) for item in items))
    return marked(CtyValue(SetType(of), make_set(of, [_without_marks(item.data) for item in items])), found)


def have_one_type(items: Iterable[CtyValue]) -> bool:
    """Return whether the values can be elements of one list, set or map; elements of type DYNAMIC always can."""
    types = [item.type for item in items if not isinstance(item.type, DynamicType)]
    return all(of == types[0] for of in types)


def same(left: CtyValue, right: CtyValue) -> bool:
    """Return whether both have the same type, data, marks and unknown parts, as go-cty's RawEquals does."""
    return left.type == right.type and left.data == right.data


def _element_type(items: Sequence[CtyValue], default: Type) -> Type:
    return next((item.type for item in items if not isinstance(item.type, DynamicType)), default)


def _plain(data: Data) -> Data:
    return data.data if isinstance(data, MarkedData) else data


def _without_marks(data: Data) -> Data:
    if isinstance(data, MarkedData):
        return _without_marks(data.data)
    if isinstance(data, tuple):
        return tuple(map(_without_marks, data))
    if isinstance(data, dict):
        return {name: _without_marks(item) for name, item in data.items()}
    return data


def _marks_within(data: Data) -> frozenset[str]:
    if isinstance(data, MarkedData):
        return data.marks | _marks_within(data.data)
    if isinstance(data, tuple):
        return NO_MARKS.union(*map(_marks_within, data))
    if isinstance(data, dict):
        return NO_MARKS.union(*map(_marks_within, data.values()))
    return NO_MARKS
