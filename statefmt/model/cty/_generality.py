"""Orders types by generality. Source: go-cty `convert` (`compare_types.go`, `sort_types.go`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from statefmt.model.cty.types import (
    STRING,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
)


def by_generality(types: Sequence[Type]) -> list[Type]:
    """Sort the types, the most general first, otherwise in their order."""
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
