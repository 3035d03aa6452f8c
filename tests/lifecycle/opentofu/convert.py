"""Converts values to other types, with unknown values and marks. Source: go-cty `convert`, in its "unsafe" mode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from statefmt.golang import quote
from statefmt.model.cty import (
    CtyValueError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
)
from statefmt.model.cty.data import (
    CtyValue,
    Data,
    GetAttr,
    Path,
    PathIndex,
    Refinements,
    UnknownData,
    convert_primitive,
)
from statefmt.model.cty.number import Number
from statefmt.model.cty.parts import elements, is_null, is_wholly_known, marked, marks, set_of, unknown, unmarked
from statefmt.model.cty.unify import can_convert, fill_dynamic, mismatch, structure_element, unify, without_optional
from tests.lifecycle.opentofu.parts import have_one_type, length, list_of, map_of, null, object_of, tuple_of

_COMPOUND: Final = (ListType, SetType, MapType, ObjectType)


class CtyConversionError(CtyValueError):
    """A value that does not convert to the wanted type. `path` leads to the part, `detail` is go-cty's message."""

    def __init__(self, path: Path, detail: str) -> None:
        super().__init__(detail)
        self.path = path


def convert_value(value: CtyValue, wanted: Type) -> CtyValue:
    """Convert a value to the type `wanted`, which may have optional attributes and dynamic parts.

    Marks stay, but a null within a collection or object loses its own, as in go-cty. Raises CtyConversionError, and
    RecursionError if the value is nested too deeply.
    """
    if value.type == without_optional(wanted):
        return value
    if not can_convert(value.type, wanted):
        raise CtyConversionError((), mismatch(value.type, wanted))
    return _convert(value, wanted, ())


def _convert(value: CtyValue, wanted: Type, path: Path, *, unsafe: bool = True) -> CtyValue:
    """Convert a value that can be converted. Not `unsafe` only where go-cty is not."""
    if value.type == wanted or isinstance(wanted, DynamicType):
        return value
    data = unmarked(value).data
    if data is None:
        found = null(fill_dynamic(value.type, without_optional(wanted)))
    elif isinstance(data, UnknownData):
        found = convert_unknown(value.type, data.refinements, without_optional(wanted))
    else:
        found = _known(unmarked(value), wanted, path, unsafe)
    return marked(found, marks(value))


def _known(value: CtyValue, wanted: Type, path: Path, unsafe: bool) -> CtyValue:
    match wanted:
        case PrimitiveType():
            return CtyValue(wanted, _primitive(value.data, wanted, path))
        case ObjectType():
            return _object(value, wanted, path)
        case TupleType(wanted_elements):
            parts = [part for _, part in elements(value)]
            return tuple_of(
                [
                    _convert(part, of, (*path, PathIndex(index)), unsafe=unsafe)
                    for index, (part, of) in enumerate(zip(parts, wanted_elements, strict=True))
                ]
            )
        case ListType(element) | SetType(element):
            if isinstance(value.type, TupleType):
                return _of_tuple(value, wanted, path, unsafe)
            return _of_collection(value, wanted, element, path, unsafe)
        case MapType(element):
            return _map(value, element, path, unsafe)
    raise AssertionError(wanted)


def _primitive(data: Data, wanted: PrimitiveType, path: Path) -> Data:
    assert isinstance(data, (bool, str, Number))
    try:
        return convert_primitive(data, wanted)
    except CtyValueError as error:
        raise CtyConversionError(path, error.detail) from None


def _object(value: CtyValue, wanted: ObjectType, path: Path) -> CtyValue:
    is_map = isinstance(value.type, MapType)
    found: dict[str, CtyValue] = {}
    for name, part in elements(value):
        assert isinstance(name, str)
        of = wanted.attributes.get(name)
        if of is None:
            continue
        if not can_convert(part.type, of):
            detail = f"map element type is incompatible with attribute {quote(name)}: {mismatch(part.type, of)}"
            raise CtyConversionError(path, detail)
        step = PathIndex(name) if is_map else GetAttr(name)
        found[name] = _without_null_marks(_convert(part, of, (*path, step)))
    for name, of in wanted.attributes.items():
        if name not in found:
            if name not in wanted.optional:
                raise CtyConversionError(path, f"map has no element for required attribute {quote(name)}")
            found[name] = null(without_optional(of))
    return object_of(found)


def _of_tuple(value: CtyValue, wanted: ListType | SetType, path: Path, unsafe: bool) -> CtyValue:
    parts = [part for _, part in elements(value)]
    empty = without_optional(wanted.element)
    if not parts:
        return CtyValue(type(wanted)(empty), ())
    element = structure_element([part.type for part in parts], wanted.element, unsafe=unsafe)
    assert element is not None
    found = [_convert(part, element, (*path, PathIndex(index)), unsafe=unsafe) for index, part in enumerate(parts)]
    if isinstance(wanted, SetType):
        return _collection(list(map(_without_null_marks, found)), set_of, "set", path)
    # In go-cty the path of these errors leads to the last element.
    last = (*path, PathIndex(len(parts) - 1))
    keys = [PathIndex(index) for index in range(len(parts))]
    return _collection(_unified(found, keys, last, unsafe), list_of, "list", path)


def _of_collection(value: CtyValue, wanted: ListType | SetType, element: Type, path: Path, unsafe: bool) -> CtyValue:
    own = value.type
    assert isinstance(own, (ListType, SetType))
    to_list = isinstance(wanted, ListType)
    if to_list and isinstance(own, SetType) and length(value) > 1 and not is_wholly_known(value):
        # Elements with unknown parts may turn out to be equal.
        return unknown(ListType(own.element))
    found = [
        _without_null_marks(_convert(part, element, (*path, PathIndex(index)), unsafe=unsafe))
        for index, (_, part) in enumerate(elements(value))
    ]
    if not found:
        return CtyValue(type(wanted)(_empty(own.element, element)), ())
    return _collection(found, list_of if to_list else set_of, "list" if to_list else "set", path)


def _map(value: CtyValue, wanted: Type, path: Path, unsafe: bool) -> CtyValue:
    parts = {str(name): part for name, part in elements(value)}
    if isinstance(value.type, MapType):
        if not parts:
            return CtyValue(MapType(_empty(value.type.element, wanted)), {})
        # go-cty unifies the elements of a map in its "safe" mode.
        element, subject, unify_unsafe = wanted, "element", False
    else:
        if not parts:
            return CtyValue(MapType(without_optional(wanted)), {})
        common = structure_element([part.type for part in parts.values()], wanted, unsafe=unsafe)
        assert common is not None
        element, subject, unify_unsafe = common, "attribute", unsafe
    found = [_convert(part, element, (*path, PathIndex(name)), unsafe=unsafe) for name, part in parts.items()]
    if isinstance(element, _COMPOUND):
        found = _unified(found, [PathIndex(name) for name in parts], path, unify_unsafe)
    if not have_one_type(found):
        raise CtyConversionError(path, f"{subject} types must all match for conversion to map")
    return map_of(dict(zip(parts, found, strict=True)), element)


def _empty(own: Type, wanted: Type) -> Type:
    return own if isinstance(wanted, DynamicType) else without_optional(wanted)


def _unified(found: Sequence[CtyValue], keys: Iterable[PathIndex], path: Path, unsafe: bool) -> list[CtyValue]:
    common = unify([part.type for part in found], unsafe=unsafe)
    if common is None:
        raise CtyConversionError(path, "cannot find a common base type for all elements")
    return [_convert(part, common, (*path, key), unsafe=unsafe) for part, key in zip(found, keys, strict=True)]


def _collection(
    found: Sequence[CtyValue], make: Callable[[Sequence[CtyValue], Type], CtyValue], kind: str, path: Path
) -> CtyValue:
    if not have_one_type(found):
        raise CtyConversionError(path, f"element types must all match for conversion to {kind}")
    return make(found, found[0].type)


def _without_null_marks(value: CtyValue) -> CtyValue:
    return null(without_optional(value.type)) if is_null(value) else value


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
