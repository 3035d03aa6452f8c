"""Explains why a type does not convert to another. Source: go-cty `convert/mismatch_msg.go`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from statefmt.golang import quote
from statefmt.model.cty.type_names import type_name
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
from statefmt.model.cty.unify import can_convert


def mismatch(given: Type, wanted: Type) -> str:
    """Return the first reason why `given` does not convert to `wanted`: `string required, but have list of number`."""
    match given, wanted:
        case ObjectType(), ObjectType():
            return _objects(given, wanted)
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
            return f"incorrect {_kind(wanted)} element type: {mismatch(given.element, wanted.element)}"
    if _confusing(given, wanted):
        return f"{type_name(wanted, wanted=True)} required"
    return f"{type_name(wanted)} required, but have {type_name(given)}"


def _objects(given: ObjectType, wanted: ObjectType) -> str:
    names = wanted.attributes.keys() - given.attributes.keys() - wanted.optional
    if names:
        return _missing([quote(name) for name in sorted(names)])
    different = [
        name for name, of in wanted.attributes.items() if name in given.attributes and given.attributes[name] != of
    ]
    for unsafe in (True, False):
        for name in different:
            own, of = given.attributes[name], wanted.attributes[name]
            if not can_convert(own, of, unsafe=unsafe):
                return f"attribute {quote(name)}: {mismatch(own, of)}"
    return "incorrect object attributes"


def _missing(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"attribute {names[0]} is required"
    start = names[0] if len(names) == 2 else ", ".join(names[:-1]) + ","
    return f"attributes {start} and {names[-1]} are required"


def _elements(given: TupleType | ObjectType, wanted: ListType | SetType | MapType) -> str:
    if isinstance(given, ObjectType) != isinstance(wanted, MapType):
        return f"{type_name(wanted, wanted=True)} required"
    for key, part in _parts(given):
        if not can_convert(part, wanted.element):
            return f"element {key}: {mismatch(part, wanted.element)}"
    return f"all elements must be {type_name(wanted.element, wanted=True)}"


def _parts(of: TupleType | ObjectType) -> Iterator[tuple[str, Type]]:
    if isinstance(of, TupleType):
        yield from ((str(index), part) for index, part in enumerate(of.elements))
    else:
        yield from ((quote(name), part) for name, part in of.attributes.items())


def _kind(of: ListType | SetType | MapType) -> str:
    return "list" if isinstance(of, ListType) else "set" if isinstance(of, SetType) else "map"


def _confusing(given: Type, wanted: Type) -> bool:
    """Return whether it would confuse to name both types: a string may be a number, although not this one."""
    if isinstance(given, PrimitiveType) != isinstance(wanted, PrimitiveType) or wanted == STRING:
        return False
    if {given, wanted} == {BOOL, NUMBER}:
        return False
    return not (isinstance(given, TupleType) and isinstance(wanted, ObjectType))
