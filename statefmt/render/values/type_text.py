"""Renders types as in configurations: `list(string)`, `object({a=string})`.

Source: HCL `ext/typeexpr` (TypeString).
"""

from __future__ import annotations

from statefmt.model.cty import (
    CtyTypeError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
)
from statefmt.render.values.hcl import name_text


def type_text(of: Type, *, names: bool = True) -> str:
    """Render a type as a constraint; `any` if it is unknown.

    Without `names`, attribute names are omitted: they may be sensitive, too. Raises CtyTypeError if the type is nested
    too deeply.
    """
    try:
        return _text(of, names)
    except RecursionError:
        raise CtyTypeError("the type is nested too deeply") from None


def _text(of: Type, names: bool) -> str:
    match of:
        case PrimitiveType(name):
            return name
        case DynamicType():
            return "any"
        case ListType(element):
            return f"list({_text(element, names)})"
        case SetType(element):
            return f"set({_text(element, names)})"
        case MapType(element):
            return f"map({_text(element, names)})"
        case TupleType(elements):
            return f"tuple([{','.join([_text(element, names) for element in elements])}])"
        case ObjectType(attributes, optional):
            if not names:
                return "object({...})"
            members = []
            for name, attribute in attributes.items():
                text = _text(attribute, names)
                members.append(f"{name_text(name)}={f'optional({text})' if name in optional else text}")
            return f"object({{{','.join(members)}}})"
