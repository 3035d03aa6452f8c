"""Unpacks and builds cty values, with unknown values and marks as go-cty handles them.

The data of a value has no types of its own: each function here pairs parts with their types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from statefmt.golang import quote
from statefmt.model.cty import CtyValueError, DynamicType, ListType, MapType, ObjectType, SetType, TupleType, Type
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
    """Return the marks of the value itself, without marks of its parts."""
    return value.data.marks if isinstance(value.data, MarkedData) else NO_MARKS


def unmarked(value: CtyValue) -> CtyValue:
    """Return the value without its own marks; its parts keep theirs."""
    return CtyValue(value.type, value.data.data) if isinstance(value.data, MarkedData) else value


def unmarked_deep(value: CtyValue) -> CtyValue:
    """Return the value without marks at any depth."""
    return CtyValue(value.type, _without_marks(value.data))


def marked(value: CtyValue, more: frozenset[str]) -> CtyValue:
    """Return the value with more marks."""
    if not more:
        return value
    return CtyValue(value.type, MarkedData(marks(value) | more, _plain(value.data)))


def attribute(value: CtyValue, name: str) -> CtyValue:
    """Return an attribute of an object, with the marks of the object added.

    The attribute of an unknown object is unknown. Raises CtyValueError if the value is null, or not an object with
    such an attribute.
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


def set_of(items: Sequence[CtyValue], element: Type) -> CtyValue:
    """Make a set; `element` as for list_of(). Marks of elements at any depth become marks of the set."""
    of = _element_type(items, element)
    found = NO_MARKS.union(*(_marks_within(item.data) for item in items))
    return marked(CtyValue(SetType(of), make_set(of, [_without_marks(item.data) for item in items])), found)


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
    """Return the value without marks at any depth, and the paths of the marks, outermost first.

    Source: go-cty `UnmarkDeepWithPaths`.
    """
    found: list[PathMarks] = []
    _collect(value, (), found)
    return unmarked_deep(value) if found else value, tuple(found)


def with_path_marks(value: CtyValue, more: Iterable[PathMarks]) -> CtyValue:
    """Return the value with marks added to the parts at the paths; ignore other paths.

    Marks within an element of a set become marks of the set. Source: go-cty `MarkWithPaths`.
    """
    return _apply(value, PathTree((each.path, each.marks) for each in more))


def steps(value: CtyValue) -> Iterable[tuple[PathStep, CtyValue]]:
    """Yield the parts of a value that is neither null nor unknown, each with the step to it; sets by their elements.

    Primitive values have none. Omits the marks of the whole.
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
