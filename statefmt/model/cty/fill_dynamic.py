"""Fills in types: a value that converts keeps its types where any are wanted. Source: go-cty `convert`."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.model.cty.types import DynamicType, ListType, MapType, ObjectType, SetType, TupleType, Type
from statefmt.model.cty.unify import unify


def fill_dynamic(source: Type, target: Type) -> Type:
    """Return `target` with its dynamic parts replaced by those of `source`. Source: `dynamicReplace`."""
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
    """Return the type of the elements of `source` as a map, or as a list or set; None if it does not become one."""
    if for_map:
        if isinstance(source, ObjectType):
            return unify(list(source.attributes.values()))
        return source.element if isinstance(source, MapType) else None
    if isinstance(source, TupleType):
        return unify(source.elements)
    return source.element if isinstance(source, (ListType, SetType)) else None
