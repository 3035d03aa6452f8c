"""Gives values keys by which equal ones are found in a dict."""

from __future__ import annotations

from collections.abc import Hashable

from statefmt.model.cty.data import Data
from statefmt.model.cty.types import ListType, MapType, ObjectType, SetType, TupleType, Type


def comparable_key(data: Data, of: Type) -> Hashable:
    """Return something hashable that is equal for equal data of one type without marks.

    Also equal are sets that differ only by elements that are 0 and -0. Raises RecursionError for data nested too
    deeply.
    """
    if isinstance(data, tuple):
        if isinstance(of, TupleType):
            return tuple(map(comparable_key, data, of.elements))
        assert isinstance(of, (ListType, SetType))
        keys = [comparable_key(item, of.element) for item in data]
        return tuple(keys) if isinstance(of, ListType) else frozenset(keys)
    if isinstance(data, dict):
        if isinstance(of, ObjectType):
            return tuple(comparable_key(data[name], of.attributes[name]) for name in of.attributes)
        assert isinstance(of, MapType)
        return tuple((name, comparable_key(data[name], of.element)) for name in sorted(data))
    return data
