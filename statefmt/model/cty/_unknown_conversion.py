"""Converts unknown and null values: what is known of their type and length stays. Source: go-cty `convert`."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.model.cty.data import Refinements, UnknownData
from statefmt.model.cty.types import DynamicType, ListType, MapType, ObjectType, SetType, TupleType, Type
from statefmt.model.cty.unify import unify
from statefmt.model.cty.values import CtyValue

_COLLECTIONS = (ListType, SetType, MapType)


def convert_unknown(source: Type, known: Refinements, target: Type) -> CtyValue:
    """Convert an unknown value of which `known` is known. Source: `prepareUnknownResult`."""
    of = fill_dynamic(source, target)
    if isinstance(of, DynamicType):
        return CtyValue(of, UnknownData())
    least, most = _lengths(source, known, of)
    if known.not_null and least == most:
        if isinstance(of, _COLLECTIONS) and least == 0:
            return CtyValue(of, {} if isinstance(of, MapType) else ())
        if isinstance(of, ListType) or (isinstance(of, SetType) and least == 1):
            return CtyValue(of, (UnknownData(),) * least)
    return CtyValue(of, UnknownData(Refinements(not_null=known.not_null, min_length=least, max_length=most)))


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


def _lengths(source: Type, known: Refinements, of: Type) -> tuple[int, int | None]:
    """Return the least and the most elements that a collection made of `source` has."""
    if isinstance(source, ObjectType) and isinstance(of, MapType):
        return len(source.attributes), len(source.attributes)
    if isinstance(source, TupleType) and isinstance(of, (ListType, SetType)):
        count = len(source.elements)
        return (min(count, 1) if isinstance(of, SetType) else count), count
    if isinstance(source, _COLLECTIONS) and isinstance(of, _COLLECTIONS):
        # Elements of a set may turn out to be equal, but not to be none.
        least = min(known.min_length, 1) if isinstance(of, SetType) else known.min_length
        return least, known.max_length
    return 0, None


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
