"""Converts unknown values: what is known of their length stays. Source: go-cty `convert`."""

from __future__ import annotations

from statefmt.model.cty.data import CtyValue, Refinements, UnknownData
from statefmt.model.cty.fill_dynamic import fill_dynamic
from statefmt.model.cty.types import DynamicType, ListType, MapType, ObjectType, SetType, TupleType, Type

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
