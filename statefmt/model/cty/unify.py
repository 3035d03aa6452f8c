"""Determines which types convert to which, finds the common type of several, and explains why a type does not convert.

Source: go-cty `convert` (`conversion.go`, `unify.go`, `compare_types.go`, `sort_types.go`, `mismatch_msg.go`). In its
"unsafe" mode a conversion may fail for some values; without `unsafe`, only conversions that never fail count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from statefmt.golang import quote
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
    collection_name,
    type_name,
)

Collection: TypeAlias = ListType | SetType | MapType


def without_optional(of: Type) -> Type:
    """Return the type without optional attributes at any depth: types of values have none."""
    match of:
        case ObjectType(attributes, _):
            return ObjectType({name: without_optional(attribute) for name, attribute in attributes.items()})
        case TupleType(elements):
            return TupleType(tuple(map(without_optional, elements)))
        case ListType(element) | SetType(element) | MapType(element):
            return type(of)(without_optional(element))
        case _:
            return of


def has_dynamic(of: Type) -> bool:
    """Return whether a part of the type is unknown."""
    match of:
        case ObjectType(attributes, _):
            return any(map(has_dynamic, attributes.values()))
        case TupleType(elements):
            return any(map(has_dynamic, elements))
        case ListType(element) | SetType(element) | MapType(element):
            return has_dynamic(element)
        case _:
            return isinstance(of, DynamicType)


def can_convert(source: Type, target: Type, *, unsafe: bool = True) -> bool:
    """Return whether some values of `source` convert to `target`; without `unsafe`, whether all do."""
    if source == target or isinstance(target, DynamicType):
        return True
    if isinstance(source, DynamicType):
        return unsafe

    def fits(inner: Type, wanted: Type) -> bool:
        return can_convert(inner, wanted, unsafe=unsafe)

    match source, target:
        case PrimitiveType(), PrimitiveType():
            return target == STRING or (unsafe and source == STRING)
        case ObjectType(given), ObjectType(attributes, optional):
            return all(
                fits(given[name], wanted) if name in given else name in optional for name, wanted in attributes.items()
            )
        case TupleType(elements), TupleType(wanted):
            return len(elements) == len(wanted) and all(map(fits, elements, wanted))
        case ListType(element), SetType(wanted_element):
            return unsafe and fits(element, wanted_element)
        case ((ListType(element) | SetType(element)), (ListType(wanted_element) | SetType(wanted_element))):
            return fits(element, wanted_element)
        case MapType(element), MapType(wanted_element):
            return fits(element, wanted_element)
        case TupleType(elements), (ListType(wanted_element) | SetType(wanted_element)):
            found = structure_element(elements, wanted_element, unsafe=unsafe)
            if isinstance(found, DynamicType) and any(each != DYNAMIC for each in elements):
                return False
            return found is not None and all(fits(each, found) for each in elements)
        case ObjectType(attributes, _), MapType(wanted_element):
            found = structure_element(tuple(attributes.values()), wanted_element, unsafe=unsafe)
            return found is not None and all(fits(each, found) for each in attributes.values())
        case MapType(element), ObjectType(attributes, optional):
            return unsafe and all(fits(element, wanted) or name in optional for name, wanted in attributes.items())
        case _:
            return False


def structure_element(parts: Sequence[Type], element: Type, *, unsafe: bool = True) -> Type | None:
    """Return the element type of the collection of `element` that a tuple or object converts to; None if it does not.

    The result is the common type of the parts if `element` is DYNAMIC.
    """
    return unify(parts, unsafe=unsafe) if parts and isinstance(element, DynamicType) else element


def unify(types: Sequence[Type], *, unsafe: bool = True) -> Type | None:
    """Return the type to which all types convert; None if there is none, or `types` is empty."""
    if not types:
        return None
    if all(each == types[0] for each in types):
        return types[0]
    found, decided = _of_one_kind(types, unsafe)
    if decided:
        return found
    for wanted in by_generality(types):
        if all(can_convert(each, wanted, unsafe=unsafe) for each in types):
            return wanted
    return None


def _of_one_kind(types: Sequence[Type], unsafe: bool) -> tuple[Type | None, bool]:
    """Return the common type of types of one kind, and whether that result is final."""
    kinds = {type(each) for each in types}
    dynamic = DynamicType in kinds
    rest = kinds - {DynamicType}
    for collection, structural in ((MapType, ObjectType), (ListType, TupleType)):
        if rest == {collection}:
            return _collections(collection, types, dynamic, unsafe), True
        if rest == {collection, structural}:
            found = _structures_as(collection, structural, types, unsafe)
            return found, found is not None
    if rest == {SetType}:
        return _collections(SetType, types, dynamic, unsafe), True
    if rest == {ObjectType}:
        objects = [each for each in types if isinstance(each, ObjectType)]
        return (DYNAMIC if dynamic else _objects(objects, unsafe)), True
    if rest == {TupleType}:
        tuples = [each for each in types if isinstance(each, TupleType)]
        return (DYNAMIC if dynamic else _tuples(tuples, unsafe)), True
    return None, {ObjectType, TupleType} <= kinds


def _collections(collection: Callable[[Type], Type], types: Sequence[Type], dynamic: bool, unsafe: bool) -> Type | None:
    if dynamic:
        return DYNAMIC
    element = unify([each.element for each in types if isinstance(each, Collection)], unsafe=unsafe)
    return None if element is None else collection(element)


def _structures_as(collection: type[Type], structural: type[Type], types: Sequence[Type], unsafe: bool) -> Type | None:
    """Unify maps with objects, or lists with tuples: convert the structures to collections, then unify all."""
    inside = [part for each in types if isinstance(each, structural) for part in _parts(each)]
    element = unify(inside, unsafe=unsafe)
    if element is None:
        return None
    as_collection: Type = MapType(element) if collection is MapType else ListType(element)
    found = unify([as_collection if isinstance(each, structural) else each for each in types], unsafe=unsafe)
    return found if isinstance(found, collection) else None


def _parts(of: Type) -> Iterable[Type]:
    return of.attributes.values() if isinstance(of, ObjectType) else of.elements if isinstance(of, TupleType) else ()


def _objects(types: Sequence[ObjectType], unsafe: bool) -> Type | None:
    names = types[0].attributes.keys()
    if any(each.attributes.keys() != names for each in types):
        element = unify([part for each in types for part in each.attributes.values()], unsafe=unsafe)
        return _if_all_fit(types, None if element is None else MapType(element), unsafe)
    attributes: dict[str, Type] = {}
    for name in names:
        found = unify([each.attributes[name] for each in types], unsafe=unsafe)
        if found is None:
            return None
        attributes[name] = found
    return ObjectType(attributes)


def _tuples(types: Sequence[TupleType], unsafe: bool) -> Type | None:
    length = len(types[0].elements)
    if any(len(each.elements) != length for each in types):
        element = unify([part for each in types for part in each.elements], unsafe=unsafe)
        return _if_all_fit(types, None if element is None else ListType(element), unsafe)
    elements = [unify(across, unsafe=unsafe) for across in zip(*(each.elements for each in types), strict=True)]
    known = tuple(each for each in elements if each is not None)
    return TupleType(known) if len(known) == length else None


def _if_all_fit(types: Sequence[Type], common: Type | None, unsafe: bool) -> Type | None:
    fit = common is not None and all(can_convert(each, common, unsafe=unsafe) for each in types)
    return common if fit else None


def by_generality(types: Sequence[Type]) -> list[Type]:
    """Sort the types, the most general first, otherwise stably."""
    after: list[list[int]] = [[] for _ in types]
    before = [0] * len(types)
    for left in range(len(types)):
        for right in range(left + 1, len(types)):
            order = _compare(types[left], types[right])
            if order:
                first, second = (left, right) if order < 0 else (right, left)
                after[first].append(second)
                before[second] += 1
    queue = [place for place, count in enumerate(before) if not count]
    for place in queue:
        for later in after[place]:
            before[later] -= 1
            if not before[later]:
                queue.append(later)
    return [types[place] for place in queue]


def _compare(left: Type, right: Type) -> int:
    """Return less than 0 if `left` is the more general type, more than 0 if `right` is."""
    if isinstance(left, DynamicType) or isinstance(right, DynamicType):
        return (not isinstance(right, DynamicType)) - (not isinstance(left, DynamicType))
    match left, right:
        case PrimitiveType(), PrimitiveType():
            return (right == STRING) - (left == STRING)
        case (ListType(one), ListType(other)) | (SetType(one), SetType(other)) | (MapType(one), MapType(other)):
            return _compare(one, other)
        case (ListType(), TupleType()) | (MapType(), ObjectType()) | ((TupleType() | ListType()), SetType()):
            return -1
        case (TupleType(), ListType()) | (ObjectType(), MapType()) | (SetType(), (TupleType() | ListType())):
            return 1
        case ObjectType(attributes, _), ObjectType(others, _) if attributes.keys() == others.keys():
            return _together(_compare(attributes[name], others[name]) for name in attributes)
        case TupleType(elements), TupleType(other_elements) if len(elements) == len(other_elements):
            return _together(map(_compare, elements, other_elements))
        case _:
            return 0


def _together(orders: Iterable[int]) -> int:
    found = set(orders)
    if -1 in found:
        return 0 if 1 in found else -1
    return 1 if 1 in found else 0


def fill_dynamic(source: Type, target: Type) -> Type:
    """Return `target` with its dynamic parts replaced by parts of `source`. Source: `dynamicReplace`."""
    if isinstance(source, DynamicType):
        return target
    match target:
        case DynamicType():
            return source
        case ObjectType(attributes):
            return ObjectType(_filled_attributes(source, attributes))
        case TupleType(wanted) if isinstance(source, TupleType) and len(source.elements) == len(wanted):
            return TupleType(tuple(map(fill_dynamic, source.elements, wanted)))
        case ListType(element) | SetType(element) | MapType(element):
            inner = _element(source, isinstance(target, MapType))
            return target if inner is None else type(target)(fill_dynamic(inner, element))
    return target


def _filled_attributes(source: Type, attributes: Mapping[str, Type]) -> Mapping[str, Type]:
    if isinstance(source, MapType):
        return {name: fill_dynamic(source.element, of) for name, of in attributes.items()}
    if isinstance(source, ObjectType):
        given = source.attributes
        return {name: fill_dynamic(given[name], of) if name in given else of for name, of in attributes.items()}
    return {}


def _element(source: Type, for_map: bool) -> Type | None:
    """Return the element type of `source` as a map, or as a list or set; None if it does not convert."""
    if for_map:
        if isinstance(source, ObjectType):
            return unify(list(source.attributes.values()))
        return source.element if isinstance(source, MapType) else None
    if isinstance(source, TupleType):
        return unify(source.elements)
    return source.element if isinstance(source, (ListType, SetType)) else None


def mismatch(given: Type, wanted: Type) -> str:
    """Return the first reason why `given` does not convert to `wanted`: `string required, but have list of number`."""
    match given, wanted:
        case ObjectType(), ObjectType():
            return _attribute_mismatch(given, wanted)
        case TupleType(), ListType(DynamicType()):
            return "all list elements must have the same type"
        case TupleType(), SetType(DynamicType()):
            return "all set elements must have the same type"
        case ObjectType(), MapType(DynamicType()):
            return "all map elements must have the same type"
        case ((TupleType() | ObjectType()), (ListType() | SetType() | MapType())):
            return _elements(given, wanted)
        case ((ListType() | SetType() | MapType()), (ListType() | SetType() | MapType())):
            if isinstance(given, MapType) != isinstance(wanted, MapType):
                return f"{type_name(wanted, wanted=True)} required"
            return f"incorrect {collection_name(wanted)} element type: {mismatch(given.element, wanted.element)}"
    if _confusing(given, wanted):
        return f"{type_name(wanted, wanted=True)} required"
    return f"{type_name(wanted)} required, but have {type_name(given)}"


def _attribute_mismatch(given: ObjectType, wanted: ObjectType) -> str:
    missing = wanted.attributes.keys() - given.attributes.keys() - wanted.optional
    if missing:
        *others, last = [quote(name) for name in sorted(missing)]
        if not others:
            return f"attribute {last} is required"
        return f"attributes {', '.join(others)}{',' if len(others) > 1 else ''} and {last} are required"
    different = [
        name for name, of in wanted.attributes.items() if name in given.attributes and given.attributes[name] != of
    ]
    for unsafe in (True, False):
        for name in different:
            own, of = given.attributes[name], wanted.attributes[name]
            if not can_convert(own, of, unsafe=unsafe):
                return f"attribute {quote(name)}: {mismatch(own, of)}"
    return "incorrect object attributes"


def _elements(given: TupleType | ObjectType, wanted: ListType | SetType | MapType) -> str:
    if isinstance(given, ObjectType) != isinstance(wanted, MapType):
        return f"{type_name(wanted, wanted=True)} required"
    parts = enumerate(given.elements) if isinstance(given, TupleType) else given.attributes.items()
    for key, part in parts:
        if not can_convert(part, wanted.element):
            named = quote(key) if isinstance(key, str) else key
            return f"element {named}: {mismatch(part, wanted.element)}"
    return f"all elements must be {type_name(wanted.element, wanted=True)}"


def _confusing(given: Type, wanted: Type) -> bool:
    """Return whether naming both types would be confusing: a string may be a number, although this string is not."""
    if isinstance(given, PrimitiveType) != isinstance(wanted, PrimitiveType) or wanted == STRING:
        return False
    if {given, wanted} == {BOOL, NUMBER}:
        return False
    return not (isinstance(given, TupleType) and isinstance(wanted, ObjectType))
