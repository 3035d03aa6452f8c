"""Names of types as in OpenTofu's messages, and why one does not convert to another.

Source: go-cty's FriendlyName and MismatchMessage.
"""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.golang import quote
from statefmt.model.cty.types import (
    BOOL,
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
)
from statefmt.model.cty.unify import Collection, can_convert


def type_name(of: Type, *, wanted: bool = False) -> str:
    """Return `string`, `list of number`, `object`. With `wanted`, name a requirement: `any type`."""
    match of:
        case PrimitiveType(name):
            return name
        case DynamicType():
            return "any type" if wanted else "dynamic"
        case ListType(element):
            return _collection("list", element, wanted)
        case SetType(element):
            return _collection("set", element, wanted)
        case MapType(element):
            return _collection("map", element, wanted)
        case ObjectType():
            return "object"
        case TupleType():
            return "tuple"


def _collection(kind: str, element: Type, wanted: bool) -> str:
    if wanted and isinstance(element, DynamicType):
        return f"{kind} of any single type"
    return f"{kind} of {type_name(element, wanted=wanted)}"


def mismatch(given: Type, wanted: Type) -> str:
    """Return OpenTofu's reason, for the first part in bytewise order where several differ.

    OpenTofu names any of those parts. Raises RecursionError for types nested too deeply.
    """
    match given, wanted:
        case ObjectType(), ObjectType():
            return _objects(given, wanted)
        case TupleType(), ListType(DynamicType()):
            return "all list elements must have the same type"
        case TupleType(), SetType(DynamicType()):
            return "all set elements must have the same type"
        case ObjectType(), MapType(DynamicType()):
            return "all map elements must have the same type"
        case TupleType(elements), (ListType(element) | SetType(element)):
            return _parts(((str(index), each) for index, each in enumerate(elements)), element)
        case ObjectType(attributes, _), MapType(element):
            return _parts(((quote(name), attributes[name]) for name in sorted(attributes)), element)
        case ((ListType() | SetType()), (ListType() | SetType())) | (MapType(), MapType()):
            assert isinstance(given, Collection) and isinstance(wanted, Collection)
            kind = type_name(wanted).partition(" ")[0]
            return f"incorrect {kind} element type: {mismatch(given.element, wanted.element)}"
        case _:
            required = f"{type_name(wanted, wanted=True)} required"
            if isinstance(given, (ListType, SetType, MapType, TupleType, ObjectType)) and isinstance(
                wanted, (ListType, SetType, MapType)
            ):
                return required
            return f"{type_name(wanted)} required, but have {type_name(given)}" if _clear(given, wanted) else required


def _objects(given: ObjectType, wanted: ObjectType) -> str:
    names = wanted.attributes.keys() - given.attributes.keys() - wanted.optional
    missing = [quote(name) for name in sorted(names)]
    if len(missing) == 1:
        return f"attribute {missing[0]} is required"
    if missing:
        start = missing[0] if len(missing) == 2 else ", ".join(missing[:-1]) + ","
        return f"attributes {start} and {missing[-1]} are required"
    different = [
        (name, given.attributes[name], wanted.attributes[name])
        for name in sorted(wanted.attributes)
        if name in given.attributes and given.attributes[name] != wanted.attributes[name]
    ]
    for converts in (can_convert, _converts_always):
        for name, one, other in different:
            if not converts(one, other):
                return f"attribute {quote(name)}: {mismatch(one, other)}"
    return "incorrect object attributes"


def _parts(parts: Iterable[tuple[str, Type]], element: Type) -> str:
    for key, part in parts:
        if not can_convert(part, element):
            return f"element {key}: {mismatch(part, element)}"
    return f"all elements must be {type_name(element, wanted=True)}"


def _clear(given: Type, wanted: Type) -> bool:
    """Return whether the name of the given type explains something."""
    if isinstance(given, PrimitiveType) != isinstance(wanted, PrimitiveType):
        return True
    return (
        wanted == STRING
        or {given, wanted} == {BOOL, NUMBER}
        or (isinstance(given, TupleType) and isinstance(wanted, ObjectType))
    )


def _converts_always(given: Type, wanted: Type) -> bool:
    """Return whether all values convert, where some do: go-cty calls that a safe conversion."""
    if given == wanted or isinstance(wanted, DynamicType):
        return True
    match given, wanted:
        case PrimitiveType(), PrimitiveType():
            return wanted == STRING
        case ObjectType(attributes, _), ObjectType(others, _):
            return all(_converts_always(attributes[name], others[name]) for name in others if name in attributes)
        case TupleType(elements), TupleType(others):
            return all(map(_converts_always, elements, others))
        case ((ListType(one) | SetType(one)), ListType(other)) | (SetType(one), SetType(other)):
            return _converts_always(one, other)
        case MapType(one), MapType(other):
            return _converts_always(one, other)
        case TupleType(elements), (ListType(other) | SetType(other)):
            return isinstance(other, DynamicType) or all(_converts_always(each, other) for each in elements)
        case ObjectType(attributes, _), MapType(other):
            return isinstance(other, DynamicType) or all(_converts_always(each, other) for each in attributes.values())
        case _:
            return False
