"""Tests whether one type fits another. Source: go-cty `Type.TestConformance`."""

from __future__ import annotations

from statefmt.model.cty.types import DynamicType, ListType, MapType, ObjectType, SetType, TupleType, Type


def conforms(given: Type, wanted: Type) -> bool:
    """Return whether the types are equal but for parts of `wanted` that are dynamic: any type fits those.

    Raises RecursionError for types nested too deeply.
    """
    if given is wanted:
        return True
    match given, wanted:
        case _, DynamicType():
            return True
        case (
            (ListType(one), ListType(other))
            | (SetType(one), SetType(other))
            | (MapType(one), MapType(other))
        ):  # fmt: skip
            return conforms(one, other)
        case ObjectType(attributes, _), ObjectType(others, _):
            return attributes.keys() == others.keys() and all(
                conforms(attributes[name], others[name]) for name in attributes
            )
        case TupleType(elements), TupleType(other_elements):
            return len(elements) == len(other_elements) and all(map(conforms, elements, other_elements))
        case _:
            return given == wanted
