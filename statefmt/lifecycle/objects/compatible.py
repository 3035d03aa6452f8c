"""Checks new objects and values against planned ones."""

from __future__ import annotations

from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.members import attributes_by_name, member, parts_by_key
from statefmt.lifecycle.objects._compatible_values import attribute_problems
from statefmt.lifecycle.objects._correlation import correlate, uncorrelated
from statefmt.lifecycle.objects._problems import Problems, problem, reported
from statefmt.lifecycle.problem import ValueProblem
from statefmt.lifecycle.schemas.block import NestedBlock, SchemaBlock
from statefmt.model.cty import CtyValue, GetAttr, ObjectType, Path, PathIndex
from statefmt.model.cty.parts import elements, is_known, is_null, unmarked

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
