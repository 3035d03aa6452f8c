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


def mismatch(given: Type, wanted: Type) -> str:
    """Explain why `given` does not convert to `wanted`. Source: go-cty's MismatchMessage, in its main cases."""
    if isinstance(given, ObjectType) and isinstance(wanted, ObjectType):
        names = wanted.attributes.keys() - given.attributes.keys() - wanted.optional
        missing = [f'"{name}"' for name in sorted(names)]
        if len(missing) == 1:
            return f"attribute {missing[0]} is required"
        if missing:
            start = missing[0] if len(missing) == 2 else ", ".join(missing[:-1]) + ","
            return f"attributes {start} and {missing[-1]} are required"
        return "incorrect object attributes"
    any_element = isinstance(wanted, (ListType, SetType, MapType)) and isinstance(wanted.element, DynamicType)
    match given, wanted:
        case TupleType(), ListType() if any_element:
            return "all list elements must have the same type"
        case TupleType(), SetType() if any_element:
            return "all set elements must have the same type"
        case ObjectType(), MapType() if any_element:
            return "all map elements must have the same type"
        case _:
            required = f"{type_name(wanted, wanted=True)} required"
            simple = isinstance(given, PrimitiveType) != isinstance(wanted, PrimitiveType)
            return f"{required}, but have {type_name(given)}" if simple else required
