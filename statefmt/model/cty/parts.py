"""Takes cty values apart and puts them together, with unknown values and marks as go-cty handles them.

The data of a value has no types of its own: each function here pairs parts with their types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from statefmt.golang import quote
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
from statefmt.model.cty.data import (
    CtyValue,
    Data,
    GetAttr,
    MarkedData,
    Path,
    PathStep,
    Refinements,
    UnknownData,
    has_unknown,
    make_set,
)
from statefmt.model.cty.paths import PathTree, index_step

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


class PathMarks(Struct, frozen=True):
    """The marks of the part of a value to which a path leads."""

    path: Path
    marks: frozenset[str]


def split_marks(value: CtyValue) -> tuple[CtyValue, tuple[PathMarks, ...]]:
    """Return the value without marks at any depth, and where the marks were, from the outside in.

    Source: go-cty `UnmarkDeepWithPaths`.
    """
    found: list[PathMarks] = []
    _collect(value, (), found)
    return unmarked_deep(value) if found else value, tuple(found)


def with_path_marks(value: CtyValue, more: Iterable[PathMarks]) -> CtyValue:
    """Return the value with marks added to the parts that paths lead to; other paths are passed over.

    Marks within an element of a set become marks of the set. Source: go-cty `MarkWithPaths`.
    """
    return _apply(value, PathTree((each.path, each.marks) for each in more))


def steps(value: CtyValue) -> Iterable[tuple[PathStep, CtyValue]]:
    """Yield the parts of a value that is neither null nor unknown, each with the step to it; sets by their elements.

    Primitive values have none. The marks of the whole are left out.
    """
    whole = unmarked(value)
    if not isinstance(whole.data, (tuple, dict)):
        return
    is_object = isinstance(value.type, ObjectType)
    for key, part in elements(whole):
        yield (GetAttr(key) if is_object and isinstance(key, str) else index_step(key)), part


def _collect(value: CtyValue, path: Path, found: list[PathMarks]) -> None:
    own = marks(value)
    if own:
        found.append(PathMarks(path, own))
    for step, part in steps(value):
        _collect(part, (*path, step), found)


def _apply(value: CtyValue, tree: PathTree[frozenset[str]]) -> CtyValue:
    whole = unmarked(value)
    parts: list[CtyValue] = []
    for step, part in steps(whole):
        below = tree.child(step)
        parts.append(part if below is None else _apply(part, below))
    if isinstance(value.type, SetType):
        whole = set_of(parts, value.type.element) if parts else whole
    elif isinstance(whole.data, tuple):
        whole = CtyValue(value.type, tuple(part.data for part in parts))
    elif isinstance(whole.data, dict):
        data = {name: part.data for name, part in zip(sorted(whole.data), parts, strict=True)}
        whole = CtyValue(value.type, data)
    return marked(whole, marks(value).union(*tree.found))


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


def same_unrefined(left: CtyValue, right: CtyValue) -> bool:
    """Compare known parts and the places of unknown parts, but not the refinements of unknown parts."""
    return left.type == right.type and _same_data(left.data, right.data)


def _same_data(left: Data, right: Data) -> bool:
    if left == right:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_same_data, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same_data(left[name], right[name]) for name in left)
    if isinstance(left, MarkedData) and isinstance(right, MarkedData) and left.marks == right.marks:
        return _same_data(left.data, right.data)
    # OpenTofu drops the marks of unknown values here.
    return _is_unknown(left) and _is_unknown(right)


def _is_unknown(data: Data) -> bool:
    return isinstance(data.data if isinstance(data, MarkedData) else data, UnknownData)
