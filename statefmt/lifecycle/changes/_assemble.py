"""Puts collections of merged parts together."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.model.cty import CtyValue, CtyValueError, ListType, MapType, ObjectType, SetType, TupleType
from statefmt.model.cty.parts import have_one_type, list_of, map_of, object_of, set_of, tuple_of


def like(whole: CtyValue, parts: Sequence[CtyValue]) -> CtyValue:
    """Make a value of the kind of `whole` of new parts, in the order of its own; sets and lists may have fewer.

    Raises CtyValueError if the parts differ in type and the kind does not allow that.
    """
    of = whole.type
    if isinstance(of, TupleType):
        return tuple_of(parts)
    if isinstance(of, ObjectType):
        assert isinstance(whole.data, dict)
        return object_of(dict(zip(sorted(whole.data), parts, strict=True)))
    assert isinstance(of, (ListType, SetType, MapType))
    if not have_one_type(parts):
        raise CtyValueError("elements of one collection have different types")
    if isinstance(of, MapType):
        assert isinstance(whole.data, dict)
        return map_of(dict(zip(sorted(whole.data), parts, strict=True)), of.element)
    return list_of(parts, of.element) if isinstance(of, ListType) else set_of(parts, of.element)
