"""Functions on sets. Source: go-cty `stdlib/set.go`."""

from __future__ import annotations

from collections.abc import Callable

from statefmt.hcl.functions.registry import FunctionError, Parameter, function
from statefmt.hcl.value import Part
from statefmt.hcl.values.construct import children, set_of
from statefmt.hcl.values.conversion import convert
from statefmt.hcl.values.operators import equal
from statefmt.model.cty import DYNAMIC, SetType, Type
from statefmt.model.cty.unify import unify

_SET = Parameter("sets", SetType(DYNAMIC))


def _common(sets: tuple[Part, ...]) -> Type:
    elements = [
        each.type.element
        for each in sets
        if isinstance(each.type, SetType) and (children(each) or each.type.element != DYNAMIC)
    ]
    if not elements:
        return DYNAMIC
    found = unify(elements)
    if found is None:
        raise FunctionError("given sets must all have compatible element types")
    return found


def _combine(sets: tuple[Part, ...], keep: Callable[[list[Part], tuple[Part, ...]], list[Part]]) -> Part:
    element = _common(sets)
    converted = [children(convert(each, SetType(element))) for each in sets]
    found = list(converted[0])
    for other in converted[1:]:
        found = keep(found, tuple(other))
    return set_of(element, found)


def _has(items: tuple[Part, ...], wanted: Part) -> bool:
    return any(equal(item, wanted) is True for item in items)


@function(_SET, rest=_SET, returns=SetType(DYNAMIC))
def setunion(*sets: Part) -> Part:
    return _combine(sets, lambda found, other: [*found, *other])


@function(_SET, rest=_SET, returns=SetType(DYNAMIC))
def setintersection(*sets: Part) -> Part:
    return _combine(sets, lambda found, other: [item for item in found if _has(other, item)])


@function(_SET, _SET, returns=SetType(DYNAMIC))
def setsubtract(left: Part, right: Part) -> Part:
    return _combine((left, right), lambda found, other: [item for item in found if not _has(other, item)])
