"""Checks new objects and values against planned ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from statefmt.golang import quote
from statefmt.lifecycle.plan_valid import Problems, attributes_by_name, member, parts_by_key, problem
from statefmt.lifecycle.schema import NestedBlock, SchemaBlock, refuses_depth
from statefmt.lifecycle.stored import ValueProblem, conformance
from statefmt.model.cty import DynamicType, ObjectType, PrimitiveType, SetType
from statefmt.model.cty.data import CtyValue, GetAttr, Path, PathIndex, UnknownData, has_unknown
from statefmt.model.cty.parts import elements, is_known, is_null, unmarked, unmarked_deep
from statefmt.model.cty.paths import comparable_key
from statefmt.model.cty.unify import has_dynamic, mismatch
from tests.lifecycle.opentofu.members import reported
from tests.lifecycle.opentofu.parts import marks_deep, same
from tests.lifecycle.opentofu.ranges import excludes

_COUNT = "block count changed from %d to %d"


@refuses_depth
def object_compatible(schema: SchemaBlock, planned: CtyValue, actual: CtyValue) -> tuple[ValueProblem, ...]:
    """Return why `actual`, the object after an apply, is no completion of the object `planned`; () if it is one.

    What was planned to be known must be equal, what was unknown must be of its type and range, and sets may shrink.
    Both values have the type that the schema implies. A message shows values, unless they are marked as sensitive or
    the attribute itself is sensitive by the schema; attributes within a nested type count as part of it.

    Raises CtyValueError for values that lack attributes of the schema or are nested too deeply. Source: OpenTofu
    `objchange.AssertObjectCompatible`; where that crashes (a map of blocks became unknown), nothing is reported.
    """
    return reported(_object(schema, planned, actual, ()))


@refuses_depth
def value_compatible(planned: CtyValue, actual: CtyValue) -> tuple[ValueProblem, ...]:
    """Return why `actual` is no completion of `planned`, as object_compatible() does for one attribute without schema.

    If a part of either is marked as sensitive, a single problem says no more than that there is one. Raises
    CtyValueError for values nested too deeply. Source: OpenTofu `objchange.AssertValueCompatible`.
    """
    return reported(attribute_problems(planned, actual, (), sensitive=False))


def _object(schema: SchemaBlock, planned: CtyValue, actual: CtyValue, path: Path) -> Problems:
    root = "" if path else "root object "
    if is_null(planned) and is_null(actual):
        return
    if is_null(planned):
        yield problem(path, "%swas absent, but now present", root)
    elif is_null(actual):
        yield problem(path, "%swas present, but now absent", root)
    else:
        for name, attribute in schema.attributes.items():
            place = (*path, GetAttr(name))
            yield from attribute_problems(member(planned, name), member(actual, name), place, attribute.sensitive)
        for name, nested in schema.decoded_blocks():
            before, now = unmarked(member(planned, name)), unmarked(member(actual, name))
            yield from _nested(nested, before, now, (*path, GetAttr(name)))


def _nested(nested: NestedBlock, planned: CtyValue, actual: CtyValue, path: Path) -> Problems:
    if nested.nesting in ("single", "group"):
        # A dynamic block may expand to none.
        if is_known(planned) or not is_null(actual):
            yield from _object(nested.block, planned, actual, path)
    elif nested.nesting == "map" and isinstance(planned.type, ObjectType):
        yield from _map_as_object(nested.block, planned, actual, path)
    elif is_null(planned) or is_null(actual) or not is_known(planned) or not is_known(actual):
        # Unknown blocks may expand to any number.
        return
    elif nested.nesting == "set":
        yield from _sets(nested.block, planned, actual, path)
    else:
        before, now = parts_by_key(planned), parts_by_key(actual)
        if len(before) != len(now):
            yield problem(path, _COUNT, len(before), len(now))
            return
        for key, block in before.items():
            if key in now:
                yield from _object(nested.block, block, now[key], (*path, PathIndex(key)))


def _map_as_object(schema: SchemaBlock, planned: CtyValue, actual: CtyValue, path: Path) -> Problems:
    """Check a map of blocks with dynamic parts, whose blocks are the attributes of an object."""
    before, now = attributes_by_name(planned), attributes_by_name(actual)
    for key, block in before.items():
        if key in now:
            yield from _object(schema, block, now[key], (*path, GetAttr(str(key))))
        else:
            yield problem(path, "block key %q has vanished", key)
    if is_known(planned):
        for key in now:
            if key not in before:
                yield problem(path, "new block key %q has appeared", key)


def _sets(schema: SchemaBlock, planned: CtyValue, actual: CtyValue, path: Path) -> Problems:
    before = [element for _, element in elements(planned)]
    now = [element for _, element in elements(actual)]
    names = tuple(schema.attributes)
    found = correlate(
        before,
        now,
        names,
        lambda one, other: next(_object(schema, one, other, (*path, PathIndex(other))), None) is None,
    )
    yield from uncorrelated(before, now, found, path)
    if len(before) < len(now):
        yield problem(path, "block set length changed from %d to %d", len(before), len(now))


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
        yield from _set_values(planned, actual, path)
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


def _set_values(planned: CtyValue, actual: CtyValue, path: Path) -> Problems:
    before = [element for _, element in elements(planned)]
    now = [element for _, element in elements(actual)]
    found = correlate(before, now, None, lambda one, other: next(value_problems(one, other, path), None) is None)
    yield from uncorrelated(before, now, found, path)
    # Elements may turn out to be equal, but there never are more.
    if len(before) < len(now):
        yield problem(path, "length changed from %d to %d", len(before), len(now))


def _index_text(key: str | int) -> str:
    return quote(key) if isinstance(key, str) else str(key)


# The attributes that are equal in elements that correspond, or None: the elements are equal as a whole.
_Parts = tuple[str, ...] | None


class _Group:
    """The new elements that are equal in some parts, by index."""

    def __init__(self) -> None:
        self.open: list[int] = []
        self.matched: list[int] = []


def uncorrelated(
    planned: Sequence[CtyValue], actual: Sequence[CtyValue], found: tuple[list[bool], list[bool]], path: Path
) -> Problems:
    """Yield the elements without a counterpart: the planned ones, and only if there are none, the new ones."""
    missing = [element for element, matched in zip(planned, found[0], strict=True) if not matched]
    for element in missing:
        yield problem(path, "planned set element %#v does not correlate with any element in actual", element)
    if not missing:
        for element, matched in zip(actual, found[1], strict=True):
            if not matched:
                yield problem(path, "actual set element %#v does not correlate with any element in plan", element)


def correlate(
    planned: Sequence[CtyValue],
    actual: Sequence[CtyValue],
    names: Sequence[str] | None,
    match: Callable[[CtyValue, CtyValue], bool],
) -> tuple[list[bool], list[bool]]:
    """Return for each element of two sets whether `match(planned, actual)` holds with any of the other set.

    `match` must need equal values where a planned attribute of `names` is wholly known (None: any attribute, and
    other values as a whole). Linear time if most elements have known parts that tell them apart.
    """
    found = [False] * len(planned), [False] * len(actual)
    groups: dict[_Parts, dict[Hashable, _Group]] = {}
    for place, element in enumerate(planned):
        parts = _known_parts(element, names)
        by_key = groups.get(parts)
        if by_key is None:
            by_key = groups[parts] = _grouped(actual, parts)
        group = by_key.get(_key(element, parts))
        if group is not None:
            found[0][place] = _match_group(element, group, actual, found[1], match)
    return found


def _match_group(
    element: CtyValue,
    group: _Group,
    actual: Sequence[CtyValue],
    found: list[bool],
    match: Callable[[CtyValue, CtyValue], bool],
) -> bool:
    """Match an element with those of the group that are still without one, and with any other if none is among them."""
    still: list[int] = []
    any_found = False
    for place in group.open:
        if not found[place] and match(element, actual[place]):
            found[place] = any_found = True
        (group.matched if found[place] else still).append(place)
    group.open = still
    return any_found or any(match(element, actual[place]) for place in reversed(group.matched))


def _grouped(actual: Sequence[CtyValue], parts: _Parts) -> dict[Hashable, _Group]:
    by_key: dict[Hashable, _Group] = {}
    for place, element in enumerate(actual):
        by_key.setdefault(_key(element, parts), _Group()).open.append(place)
    return by_key


def _known_parts(element: CtyValue, names: Sequence[str] | None) -> _Parts:
    of, data = element.type, element.data
    if isinstance(of, DynamicType):
        return ()
    if data is None or (names is None and not has_unknown(data) and not has_dynamic(of)):
        return None
    if isinstance(of, ObjectType) and isinstance(data, dict):
        wanted = of.attributes if names is None else names
        return tuple(
            name
            for name in wanted
            if name in of.attributes and not has_unknown(data[name]) and not has_dynamic(of.attributes[name])
        )
    return ()


def _key(element: CtyValue, parts: _Parts) -> Hashable:
    of, data = element.type, element.data
    if parts is None:
        return comparable_key(data, of)
    if not parts:
        return ()
    if isinstance(of, ObjectType) and isinstance(data, dict) and all(name in data for name in parts):
        return tuple(comparable_key(data[name], of.attributes[name]) for name in parts)
    # Null and unknown elements correspond to none with known parts.
    return None
