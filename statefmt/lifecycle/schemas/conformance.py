"""Checks whether the type of a value fits a type with dynamic parts. Source: go-cty `Type.TestConformance`."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.golang import quote
from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.problem import ValueProblem
from statefmt.model.cty import GetAttr, Path, PathIndex
from statefmt.model.cty.parts import unknown
from statefmt.model.cty.type_names import type_name
from statefmt.model.cty.types import (
    NUMBER,
    STRING,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
)


@refuses_depth
def conformance(given: Type, wanted: Type) -> tuple[ValueProblem, ...]:
    """Return where the type `given`, that of a value, differs from `wanted`, where DYNAMIC admits any type.

    Steps into collections have an unknown key. Raises CtyValueError if a type is nested too deeply.
    """
    return tuple(_problems(given, wanted, ()))


def _problems(given: Type, wanted: Type, path: Path) -> Iterator[ValueProblem]:
    if isinstance(wanted, DynamicType) or given == wanted:
        return
    match given, wanted:
        case ObjectType(), ObjectType():
            yield from _object(given, wanted, path)
        case TupleType(elements), TupleType(wanted_elements):
            if len(elements) == len(wanted_elements):
                for index, (element, of) in enumerate(zip(elements, wanted_elements, strict=True)):
                    yield from _problems(element, of, (*path, PathIndex(index)))
            else:
                message = f"{len(wanted_elements)} elements are required, but got {len(elements)}"
                yield ValueProblem(path, "%d elements are required, but got %d", message)
        case ListType(element), ListType(of):
            yield from _problems(element, of, (*path, _any_key(NUMBER)))
        case MapType(element), MapType(of):
            yield from _problems(element, of, (*path, _any_key(STRING)))
        case SetType(element), SetType(of):
            yield from _problems(element, of, (*path, _any_key(element)))
        case _:
            message = f"{type_name(wanted)} required, but received {type_name(given)}"
            yield ValueProblem(path, "%s required, but received %s", message)


def _object(given: ObjectType, wanted: ObjectType, path: Path) -> Iterator[ValueProblem]:
    for name in given.attributes:
        if name not in wanted.attributes:
            yield ValueProblem(path, "unsupported attribute %q", f"unsupported attribute {quote(name)}")
    for name in wanted.attributes:
        if name not in given.attributes:
            yield ValueProblem(path, "missing required attribute %q", f"missing required attribute {quote(name)}")
    for name, of in wanted.attributes.items():
        if name in given.attributes:
            yield from _problems(given.attributes[name], of, (*path, GetAttr(name)))


def _any_key(of: Type) -> PathIndex:
    return PathIndex(unknown(of))
