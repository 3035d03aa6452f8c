"""Checks planned objects against configuration and prior state.

Source: OpenTofu `objchange.AssertPlanValid`, `docs/resource-instance-change-lifecycle.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from statefmt.lifecycle.schema import NestedAttributes, NestedBlock, SchemaAttribute, SchemaBlock, refuses_depth
from statefmt.model.cty import DYNAMIC, NUMBER, CtyValueError, DynamicType, ObjectType, SetType, TupleType
from statefmt.model.cty.data import (
    Bound,
    CtyValue,
    Data,
    GetAttr,
    MarkedData,
    Path,
    PathIndex,
    Refinements,
    UnknownData,
    has_unknown,
)
from statefmt.model.cty.number import counted
from statefmt.model.cty.parts import attribute as attribute_of, elements, is_known, is_null, unknown, unmarked


class FoundProblem(NamedTuple):
    """A problem whose message is not yet written: comparing sets finds many that are not reported.

    `template` is OpenTofu's, for Go's `fmt`: `%#v` takes a value, `%q` and `%s` a string, `%d` a number.
    """

    path: Path
    template: str
    values: tuple[CtyValue | str | int, ...]


Problems: TypeAlias = Iterator[FoundProblem]


def problem(path: Path, template: str, *values: CtyValue | str | int) -> FoundProblem:
    """Make a problem from a template and its values."""
    return FoundProblem(path, template, values)


_UNKNOWN_BLOCK = (
    "element representing nested block must not be unknown itself; set nested attribute values to unknown instead"
)
_UNKNOWN_BLOCKS = (
    "attribute representing nested block must not be unknown itself; set nested attribute values to unknown instead"
)
_NULL = "attribute representing a {} of nested blocks must be empty to indicate no blocks, not null"
_COUNT = "block count in plan (%d) disagrees with count in config (%d)"
_ONLY_PLANNED = "block key %q from plan is not present in config"
_ONLY_CONFIGURED = "block key %q from config is not present in plan"
_NOTHING: Final = CtyValue(DYNAMIC, None)


@refuses_depth
def plan_problems(
    schema: SchemaBlock, prior: CtyValue, config: CtyValue, planned: CtyValue
) -> tuple[FoundProblem, ...]:
    """Return why a provider may not plan the object `planned` to get from `prior` to `config`; () if it may.

    Providers may only set computed attributes that are null in the configuration, and keep prior values. Each value
    is an object of the type that the schema implies; null if the object is absent.

    Raises CtyValueError for values that lack attributes of the schema or are nested too deeply. Where OpenTofu
    crashes on a null, the null has no parts, or only null attributes.
    """
    return tuple(_object(schema, prior, config, planned, ()))


def _object(schema: SchemaBlock, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path) -> Problems:
    if is_null(planned) and is_null(config):
        return
    if is_null(planned):
        yield problem(path, _ABSENT)
    elif is_null(config):
        yield problem(path, _PRESENT)
    else:
        yield from _attributes(schema.attributes, prior, config, planned, path)
        for name, nested in schema.decoded_blocks():
            before = _NOTHING if is_null(prior) else member(prior, name)
            yield from _nested(nested, before, member(config, name), member(planned, name), (*path, GetAttr(name)))


def _nested(nested: NestedBlock, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path) -> Problems:
    if planned == config:
        return
    if not is_known(config):
        yield problem(path, "planned value %#v for unknown dynamic block", planned)
    elif not is_known(planned):
        yield problem(path, _UNKNOWN_BLOCKS)
    elif nested.nesting in ("single", "group"):
        yield from _object(nested.block, prior, config, planned, path)
    elif is_null(planned):
        yield problem(path, _NULL.format(nested.nesting))
    elif nested.nesting == "set":
        # Elements of sets have no key to be compared by.
        for element, block in elements(planned):
            if not is_known(block):
                yield problem((*path, PathIndex(element)), _UNKNOWN_BLOCK)
    else:
        yield from _keyed(nested, unmarked(prior), unmarked(config), unmarked(planned), path)


def _keyed(nested: NestedBlock, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path) -> Problems:
    """Check lists and maps of blocks. Those with dynamic parts are tuples and objects."""
    by_name = isinstance(planned.type, ObjectType)
    befores, found = parts_by_key(prior), parts_by_key(planned)
    wanted = attributes_by_name(config) if by_name else parts_by_key(config)
    if not by_name and len(found) != len(wanted):
        yield problem(path, _COUNT, len(found), len(wanted))
        return
    for key, block in found.items():
        place = (*path, GetAttr(str(key)) if by_name else PathIndex(key))
        if not by_name and not is_known(block):
            yield problem(place, _UNKNOWN_BLOCK)
        elif key not in wanted:
            yield problem(path if by_name else place, _ONLY_PLANNED, key)
        elif not is_known(block):
            yield problem(place, _UNKNOWN_BLOCK)
        else:
            yield from _object(nested.block, befores.get(key, _NOTHING), wanted[key], block, place)
    for key in wanted:
        if key not in found:
            yield problem(path, _ONLY_CONFIGURED, key)


_ABSENT = "planned for absence but config wants existence"
_PRESENT = "planned for existence but config wants absence"
_NESTED_COUNT = "count in plan (%#v) disagrees with count in config (%#v)"


def _attributes(
    attributes: Mapping[str, SchemaAttribute], prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path
) -> Problems:
    """Yield what is wrong with the attributes of a planned object; `path` leads to the object."""
    for name, attribute in attributes.items():
        before = _NOTHING if is_null(prior) else member(prior, name)
        yield from _attribute(attribute, before, member(config, name), member(planned, name), (*path, GetAttr(name)))


def _attribute(
    attribute: SchemaAttribute, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path
) -> Problems:
    if same_unrefined(planned, config) or (
        not is_null(prior) and not is_null(config) and same_unrefined(planned, prior)
    ):
        # The provider changed nothing, or takes the prior value for equivalent to that of the configuration.
        return
    if attribute.computed and (is_null(config) or not attribute.optional):
        return
    if is_null(config) and not is_null(planned):
        if attribute.sensitive:
            yield problem(path, "sensitive planned value for a non-computed attribute")
        else:
            yield problem(path, "planned value %#v for a non-computed attribute", planned)
    elif attribute.write_only and is_null(planned) and not is_null(config):
        return
    elif attribute.nested is not None:
        yield from _nested_attributes(attribute.nested, prior, config, planned, path)
    else:
        yield _mismatch(attribute, prior, config, planned, path)


def _mismatch(
    attribute: SchemaAttribute, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path
) -> FoundProblem:
    if is_null(prior):
        if attribute.sensitive:
            return problem(path, "sensitive planned value does not match config value")
        return problem(path, "planned value %#v does not match config value %#v", planned, config)
    if attribute.sensitive:
        return problem(path, "sensitive planned value does not match config value nor prior value")
    template = "planned value %#v does not match config value %#v nor prior value %#v"
    return problem(path, template, planned, config, prior)


def _nested_attributes(
    nested: NestedAttributes, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path
) -> Problems:
    if is_null(planned) and is_null(config):
        return
    if is_null(planned):
        yield problem(path, _ABSENT)
    elif is_null(config):
        yield problem(path, _PRESENT)
    elif not is_known(planned):
        yield problem(path, "planned unknown for configured value")
    elif nested.nesting in ("single", "group"):
        yield from _attributes(nested.attributes, prior, config, planned, path)
    else:
        prior, config, planned = unmarked(prior), unmarked(config), unmarked(planned)
        ours, theirs = length(planned), length(config)
        if nested.nesting == "set":
            # Elements of sets have no key to be compared by.
            if not _may_be_equal(planned, config):
                yield problem(path, _NESTED_COUNT, ours, theirs)
        elif not is_known(ours) or ours.data != theirs.data:
            yield problem(path, _NESTED_COUNT, ours, theirs)
        else:
            yield from _elements(nested, prior, config, planned, path)


def _elements(nested: NestedAttributes, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path) -> Problems:
    befores, wanted, found = parts_by_key(prior), parts_by_key(config), parts_by_key(planned)
    for key, element in found.items():
        if key in wanted:
            # Maps may be objects, so OpenTofu goes to their elements as to attributes.
            step = GetAttr(key) if isinstance(key, str) else PathIndex(key)
            before = befores.get(key, _NOTHING)
            yield from _attributes(nested.attributes, before, wanted[key], element, (*path, step))
        elif nested.nesting == "map":
            yield problem(path, "map key %q from plan is not present in config", key)
    if nested.nesting == "map":
        for key in wanted:
            if key not in found:
                yield problem(path, "map key %q from config is not present in plan", key)


def _may_be_equal(one: CtyValue, other: CtyValue) -> bool:
    """Return whether two collections may have the same number of elements."""
    (least, most), (other_least, other_most) = lengths(one), lengths(other)
    return least <= other_most and other_least <= most


def length(value: CtyValue) -> CtyValue:
    """Return the number of parts of a collection, tuple or object that is not null, as a number that may be unknown.

    That of a set with unknown elements is unknown, as they may turn out to be equal. Raises CtyValueError for other
    values. Source: go-cty `Value.Length`.
    """
    shortest, longest = lengths(value)
    if shortest == longest:
        return CtyValue(NUMBER, counted(shortest))
    bounds = Refinements(not_null=True, low=Bound(counted(shortest)), high=Bound(counted(longest)))
    return CtyValue(NUMBER, UnknownData(bounds))


# The largest number of elements in Go, which is what go-cty takes for the length of an unknown collection at most.
_MOST: Final = 2**63 - 1


def lengths(value: CtyValue) -> tuple[int, int]:
    """Return the least and the largest number of parts of a collection, tuple or object. Raises CtyValueError."""
    of, data = value.type, value.data
    if isinstance(of, TupleType):
        return len(of.elements), len(of.elements)
    if isinstance(of, ObjectType):
        return len(of.attributes), len(of.attributes)
    if isinstance(data, UnknownData):
        longest = data.refinements.max_length
        return data.refinements.min_length, _MOST if longest is None else longest
    if not isinstance(data, (tuple, dict)):
        raise CtyValueError("a collection is required")
    uncertain = isinstance(of, SetType) and len(data) > 1 and has_unknown(data)
    return (1 if uncertain else len(data)), len(data)


def same_unrefined(left: CtyValue, right: CtyValue) -> bool:
    """Compare known parts and the places of unknown parts, but not the refinements of unknown parts."""
    return left.type == right.type and _same_data(left.data, right.data)


def _same_data(left: Data, right: Data) -> bool:
    if left == right:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_same_data, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same_data(left[name], right[name]) for name in left)
    if isinstance(left, MarkedData) and isinstance(right, MarkedData) and left.marks == right.marks:
        return _same_data(left.data, right.data)
    # OpenTofu drops the marks of unknown values here.
    return _is_unknown(left) and _is_unknown(right)


def _is_unknown(data: Data) -> bool:
    return isinstance(data.data if isinstance(data, MarkedData) else data, UnknownData)


def member(value: CtyValue, name: str) -> CtyValue:
    """Return an attribute of an object, with the marks of the object, too. Those of null are null.

    Raises CtyValueError if the value has no such attribute.
    """
    of, data = value.type, value.data
    if isinstance(data, dict) and isinstance(of, ObjectType) and name in data:
        return CtyValue(of.attributes[name], data[name])
    if is_null(value) and isinstance(of, DynamicType):
        return CtyValue(of, None)
    if is_null(value) and isinstance(of, ObjectType) and name in of.attributes:
        return CtyValue(of.attributes[name], None)
    return attribute_of(value, name)


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
