"""Checks planned objects against configuration and prior state."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.lifecycle.schema import NestedAttributes, NestedBlock, SchemaAttribute, SchemaBlock, refuses_depth
from statefmt.lifecycle.stored import ValueProblem
from statefmt.model.cty import DYNAMIC, NUMBER, ObjectType
from statefmt.model.cty.data import Bound, CtyValue, GetAttr, Path, PathIndex, Refinements, UnknownData
from statefmt.model.cty.number import Number
from statefmt.model.cty.parts import elements, is_known, is_null, unmarked
from tests.lifecycle.opentofu.members import (
    FoundProblem,
    Problems,
    attributes_by_name,
    member,
    parts_by_key,
    problem,
    reported,
)
from tests.lifecycle.opentofu.parts import null, same, same_unrefined
from tests.lifecycle.opentofu.ranges import excludes, length

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
_NOTHING = null(DYNAMIC)


@refuses_depth
def plan_valid(schema: SchemaBlock, prior: CtyValue, config: CtyValue, planned: CtyValue) -> tuple[ValueProblem, ...]:
    """Return why a provider may not plan the object `planned` to get from `prior` to `config`; () if it may.

    Providers may only set computed attributes that are null in the configuration, and keep prior values. Each value
    is an object of the type that the schema implies; null if the object is absent. A message shows values, unless
    they are marked as sensitive or the attribute itself is sensitive by the schema.

    Raises CtyValueError for values that lack attributes of the schema or are nested too deeply. Source: OpenTofu
    `objchange.AssertPlanValid`; where that crashes on a null, the null has no parts, or only null attributes.
    """
    return reported(_object(schema, prior, config, planned, ()))


def _object(schema: SchemaBlock, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path) -> Problems:
    if is_null(planned) and is_null(config):
        return
    if is_null(planned):
        yield problem(path, ABSENT)
    elif is_null(config):
        yield problem(path, PRESENT)
    else:
        yield from attributes_problems(schema.attributes, prior, config, planned, path)
        for name, nested in schema.decoded_blocks():
            before = _NOTHING if is_null(prior) else member(prior, name)
            yield from _nested(nested, before, member(config, name), member(planned, name), (*path, GetAttr(name)))


def _nested(nested: NestedBlock, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path) -> Problems:
    if same(planned, config):
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


ABSENT = "planned for absence but config wants existence"
PRESENT = "planned for existence but config wants absence"
_NESTED_COUNT = "count in plan (%#v) disagrees with count in config (%#v)"
_NO_VALUE = null(DYNAMIC)


def attributes_problems(
    attributes: Mapping[str, SchemaAttribute], prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path
) -> Problems:
    """Yield what is wrong with the attributes of a planned object; `path` leads to the object."""
    for name, attribute in attributes.items():
        before = _NO_VALUE if is_null(prior) else member(prior, name)
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
        yield problem(path, ABSENT)
    elif is_null(config):
        yield problem(path, PRESENT)
    elif not is_known(planned):
        yield problem(path, "planned unknown for configured value")
    elif nested.nesting in ("single", "group"):
        yield from attributes_problems(nested.attributes, prior, config, planned, path)
    else:
        prior, config, planned = unmarked(prior), unmarked(config), unmarked(planned)
        ours, theirs = length(planned), length(config)
        if nested.nesting == "set":
            # Elements of sets have no key to be compared by.
            if excludes(_as_range(ours), theirs):
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
            before = befores.get(key, _NO_VALUE)
            yield from attributes_problems(nested.attributes, before, wanted[key], element, (*path, step))
        elif nested.nesting == "map":
            yield problem(path, "map key %q from plan is not present in config", key)
    if nested.nesting == "map":
        for key in wanted:
            if key not in found:
                yield problem(path, "map key %q from config is not present in plan", key)


def _as_range(number: CtyValue) -> CtyValue:
    if not isinstance(number.data, Number):
        return number
    only = Bound(number.data)
    return CtyValue(NUMBER, UnknownData(Refinements(not_null=True, low=only, high=only)))
