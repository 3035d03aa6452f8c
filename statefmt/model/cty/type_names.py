"""Names of types as in OpenTofu's messages. Source: go-cty's FriendlyName."""

from __future__ import annotations

from statefmt.model.cty.types import DynamicType, ListType, MapType, ObjectType, PrimitiveType, SetType, TupleType, Type


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
