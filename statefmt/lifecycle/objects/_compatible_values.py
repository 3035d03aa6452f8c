"""Checks values of attributes. Source: OpenTofu `objchange.assertValueCompatible`."""

from __future__ import annotations

from statefmt.golang import quote
from statefmt.lifecycle.members import parts_by_key
from statefmt.lifecycle.objects._correlation import correlate, uncorrelated
from statefmt.lifecycle.objects._problems import Problems, problem
from statefmt.lifecycle.schemas.conformance import conformance
from statefmt.model.cty import CtyValue, GetAttr, ObjectType, Path, PathIndex, SetType
from statefmt.model.cty.data import UnknownData
from statefmt.model.cty.mismatch import mismatch
from statefmt.model.cty.parts import elements, marks_deep, same, unmarked_deep
from statefmt.model.cty.ranges import excludes
from statefmt.model.cty.types import DynamicType, PrimitiveType

_SENSITIVE = "sensitive"
_INCONSISTENT = "inconsistent values for sensitive attribute"


def attribute_problems(planned: CtyValue, actual: CtyValue, path: Path, sensitive: bool) -> Problems:
    """Yield what is wrong with a new value. If one of the two is sensitive, say only that something is."""
    if same(planned, actual):
        return
    marks = marks_deep(planned) | marks_deep(actual)
    if marks:
        planned, actual = unmarked_deep(planned), unmarked_deep(actual)
    found = value_problems(planned, actual, path)
    if not sensitive and _SENSITIVE not in marks:
        yield from found
    elif any(True for _ in found):
        yield problem(path, _INCONSISTENT)


def value_problems(planned: CtyValue, actual: CtyValue, path: Path) -> Problems:
    """Yield what is wrong with a new value without marks."""
    if isinstance(planned.type, DynamicType):
        return
    if actual.type is not planned.type and conformance(actual.type, planned.type):
        yield problem(path, "wrong final value type: %s", mismatch(actual.type, planned.type))
    elif isinstance(planned.data, UnknownData):
        if excludes(planned, actual):
            yield problem(path, "final value %#v does not conform to planning placeholder %#v", actual, planned)
    elif actual.data is None:
        if planned.data is not None:
            yield problem(path, "was %#v, but now null", planned)
    elif planned.data is None:
        yield problem(path, "was null, but now %#v", actual)
    elif isinstance(actual.data, UnknownData):
        yield problem(path, "was known, but now unknown")
    elif isinstance(planned.type, PrimitiveType):
        if planned.data != actual.data:
            yield problem(path, "was %#v, but now %#v", planned, actual)
    elif isinstance(planned.type, ObjectType):
        before, now = parts_by_key(planned), parts_by_key(actual)
        for name in planned.type.attributes:
            yield from value_problems(before[name], now[name], (*path, GetAttr(name)))
    elif isinstance(planned.type, SetType):
        yield from _sets(planned, actual, path)
    else:
        yield from _keyed(planned, actual, path)


def _keyed(planned: CtyValue, actual: CtyValue, path: Path) -> Problems:
    """Check lists, maps and tuples."""
    before, now = parts_by_key(planned), parts_by_key(actual)
    for key, value in before.items():
        if key in now:
            yield from value_problems(value, now[key], (*path, PathIndex(key)))
        else:
            yield problem(path, "element %s has vanished", _index_text(key))
    for key in now:
        if key not in before:
            yield problem(path, "new element %s has appeared", _index_text(key))


def _sets(planned: CtyValue, actual: CtyValue, path: Path) -> Problems:
    before = [element for _, element in elements(planned)]
    now = [element for _, element in elements(actual)]
    found = correlate(before, now, None, lambda one, other: next(value_problems(one, other, path), None) is None)
    yield from uncorrelated(before, now, found, path)
    # Elements may turn out to be equal, but there never are more.
    if len(before) < len(now):
        yield problem(path, "length changed from %d to %d", len(before), len(now))


def _index_text(key: str | int) -> str:
    return quote(key) if isinstance(key, str) else str(key)
