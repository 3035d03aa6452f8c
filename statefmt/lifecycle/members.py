"""Takes objects apart, also where OpenTofu would crash."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.model.cty import CtyValue, ObjectType, TupleType
from statefmt.model.cty.data import UnknownData
from statefmt.model.cty.parts import attribute, elements, is_null, null, unknown
from statefmt.model.cty.types import DynamicType


def member(value: CtyValue, name: str) -> CtyValue:
    """Return an attribute of an object, with the marks of the object, too. Those of null are null.

    Raises CtyValueError if the value has no such attribute.
    """
    of, data = value.type, value.data
    if isinstance(data, dict) and isinstance(of, ObjectType) and name in data:
        return CtyValue(of.attributes[name], data[name])
    if is_null(value) and isinstance(of, DynamicType):
        return null(of)
    if is_null(value) and isinstance(of, ObjectType) and name in of.attributes:
        return null(of.attributes[name])
    return attribute(value, name)


def parts_by_key(value: CtyValue) -> Mapping[str | int, CtyValue]:
    """Return the parts of a list, tuple, map or object by index or name; those of null are none.

    The parts of an unknown tuple or object are unknown. Raises CtyValueError for other values.
    """
    if is_null(value):
        return {}
    of = value.type
    if isinstance(value.data, UnknownData):
        if isinstance(of, TupleType):
            return {index: unknown(each) for index, each in enumerate(of.elements)}
        if isinstance(of, ObjectType):
            return {name: unknown(each) for name, each in of.attributes.items()}
        return {}
    return {key: part for key, part in elements(value) if not isinstance(key, CtyValue)}


def attributes_by_name(value: CtyValue) -> Mapping[str | int, CtyValue]:
    """Return the attributes that the type of a value has; those of null are null. Other values have none."""
    names = value.type.attributes if isinstance(value.type, ObjectType) else ()
    return {name: member(value, name) for name in names}
