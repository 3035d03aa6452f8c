"""Checks planned objects against configuration and prior state."""

from __future__ import annotations

from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.members import attributes_by_name, member, parts_by_key
from statefmt.lifecycle.objects._planned_attributes import ABSENT, PRESENT, attributes_problems
from statefmt.lifecycle.objects._problems import Problems, problem, reported
from statefmt.lifecycle.problem import ValueProblem
from statefmt.lifecycle.schemas.block import NestedBlock, SchemaBlock
from statefmt.model.cty import DYNAMIC, CtyValue, GetAttr, ObjectType, Path, PathIndex
from statefmt.model.cty.parts import elements, is_known, is_null, null, same, unmarked

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
