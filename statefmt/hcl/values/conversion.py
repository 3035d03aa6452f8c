"""Converts values to other types. Source: go-cty `convert`, in its "unsafe" mode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from statefmt.hcl.value import Part, Unknown, Value
from statefmt.hcl.values.construct import children, list_of, map_of, marked, object_of, retyped, set_of, tuple_of
from statefmt.model.cty import ListType, MapType, Number, ObjectType, SetType, TupleType, Type
from statefmt.model.cty.errors import CtyValueError
from statefmt.model.cty.fill_dynamic import fill_dynamic
from statefmt.model.cty.mismatch import mismatch
from statefmt.model.cty.primitives import convert_primitive
from statefmt.model.cty.types import DynamicType, PrimitiveType
from statefmt.model.cty.unify import can_convert, unify, without_optional


class ConversionError(ValueError):
    """A value that does not convert to the wanted type; the message is OpenTofu's."""


def convert(part: Part, wanted: Type) -> Part:
    """Convert a value to the type `wanted`, which may have optional attributes.

    Raises ConversionError; but if a part of the value has an unknown type, the result of a failure is Unknown.
    """
    if part.type == wanted:
        return part
    try:
        return marked(_converted(part, wanted), part.sensitive)
    except ConversionError:
        unknown = None if isinstance(part, Unknown) else _untyped((part,))
        if unknown is None:
            raise
        return retyped(unknown, without_optional(wanted))


def convert_all(parts: Sequence[Part]) -> tuple[Type, list[Part]] | None:
    """Convert the values to their common type; None if there is none. Needs at least one value."""
    common = unify([part.type for part in parts])
    return None if common is None else (common, [convert(part, common) for part in parts])


def _untyped(parts: Iterable[Part]) -> Unknown | None:
    for part in parts:
        if isinstance(part, Unknown) and isinstance(part.type, DynamicType):
            return part
        found = _untyped(children(part))
        if found is not None:
            return found
    return None


def _converted(part: Part, wanted: Type) -> Part:
    if isinstance(wanted, DynamicType):
        return part
    if not can_convert(part.type, wanted):
        raise ConversionError(mismatch(part.type, wanted))
    if isinstance(part, Unknown):
        return retyped(part, fill_dynamic(part.type, without_optional(wanted)))
    if part.data is None:
        return Value(fill_dynamic(part.type, without_optional(wanted)), None)
    match wanted:
        case PrimitiveType():
            return _primitive(part, wanted)
        case ObjectType():
            return _object(part, wanted)
        case TupleType(elements):
            return tuple_of(map(convert, children(part), elements))
        case ListType(element) | SetType(element):
            return _sequence(part, wanted, element)
        case MapType(element):
            return _map(part, element)


def _primitive(value: Value, wanted: PrimitiveType) -> Value:
    assert isinstance(value.data, (bool, str, Number))
    try:
        return Value(wanted, convert_primitive(value.data, wanted))
    except CtyValueError as error:
        raise ConversionError(str(error)) from None


def _object(value: Value, wanted: ObjectType) -> Value:
    assert isinstance(value.data, Mapping)
    found: dict[str, Part] = {}
    for name, of in wanted.attributes.items():
        given = value.data.get(name)
        if given is not None:
            found[name] = _within(f'attribute "{name}"', given, of)
        elif name in wanted.optional:
            found[name] = Value(without_optional(of), None)
        else:
            raise ConversionError(f'map has no element for required attribute "{name}"')
    return object_of(found)


def _within(where: str, part: Part, wanted: Type) -> Part:
    try:
        return convert(part, wanted)
    except ConversionError as error:
        raise ConversionError(f"{where}: {error}") from None


def _sequence(value: Value, wanted: ListType | SetType, element: Type) -> Part:
    make: Callable[[Type, Iterable[Part]], Part] = list_of if isinstance(wanted, ListType) else set_of
    parts = children(value)
    if not parts:
        kept = isinstance(element, DynamicType) and isinstance(value.type, (ListType, SetType))
        return make(value.type.element if kept else without_optional(element), ())  # type: ignore[union-attr]
    found, common = _elements(parts, element)
    return make(common, found)


def _elements(parts: Sequence[Part], element: Type) -> tuple[list[Part], Type]:
    """Convert the elements to the type `element`, with its dynamic parts resolved alike for all."""
    if isinstance(element, DynamicType):
        common = unify([part.type for part in parts])
        if common is None:
            raise ConversionError("all elements must have the same type")
        element = common
    found = [_within(f"element {place}", part, element) for place, part in enumerate(parts)]
    again = convert_all(found)
    if again is None:
        raise ConversionError("cannot find a common base type for all elements")
    return again[1], again[0]


def _map(value: Value, element: Type) -> Value:
    assert isinstance(value.data, Mapping)
    if not value.data:
        kept = isinstance(element, DynamicType) and isinstance(value.type, MapType)
        return map_of(value.type.element if kept else without_optional(element), {})  # type: ignore[union-attr]
    found, common = _elements(tuple(value.data.values()), element)
    return map_of(common, dict(zip(value.data, found, strict=True)))
