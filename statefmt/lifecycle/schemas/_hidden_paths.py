"""Finds the parts of a value that its schema says to hide."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.lifecycle.schemas.block import SchemaBlock
from statefmt.lifecycle.schemas.value_marks import value_marks
from statefmt.lifecycle.schemas.write_only import values_at, write_only_paths
from statefmt.model.cty import (
    CtyValue,
    GetAttr,
    ListType,
    MapType,
    ObjectType,
    Path,
    PathIndex,
    SetType,
    TupleType,
    Type,
)
from statefmt.model.cty.steps import PathStep


def hidden_paths(block: SchemaBlock, value: CtyValue) -> tuple[Path, ...]:
    """Return the paths of sensitive attributes, and those of write-only attributes that have a value.

    Unlike those of value_marks(), they also lead into maps of blocks with dynamic attributes, where OpenTofu hides
    nothing. Raises CtyValueError if the value is nested too deeply.
    """
    sensitive = (each.path for each in value_marks(block, value) if "sensitive" in each.marks)
    write_only = _leading(value.type, write_only_paths(block, value))
    return (*_leading(value.type, sensitive), *values_at(value, write_only))


def _leading(of: Type, paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return paths with a step to an attribute wherever a key leads into an object."""
    return tuple(_followed(of, path) for path in paths)


def _followed(of: Type, path: Path) -> Path:
    found: list[PathStep] = []
    for given in path:
        step, of = _next(of, given)
        found.append(step)
    return tuple(found)


def _next(of: Type, step: PathStep) -> tuple[PathStep, Type]:
    """Return the step as it is into a value of this type, and the type of the part."""
    match of, step:
        case ObjectType(attributes), (GetAttr(name) | PathIndex(str() as name)):
            return GetAttr(name), attributes.get(name, of)
        case TupleType(elements), PathIndex(int() as index) if index < len(elements):
            return step, elements[index]
        case ((ListType(element) | SetType(element) | MapType(element)), _):
            return step, element
        case _:
            return step, of
