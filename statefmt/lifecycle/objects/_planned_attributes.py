"""Checks planned values of attributes. Source: OpenTofu `objchange.assertPlannedAttrsValid`."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.lifecycle.members import member, parts_by_key
from statefmt.lifecycle.objects._problems import FoundProblem, Problems, problem
from statefmt.lifecycle.schemas.block import NestedAttributes, SchemaAttribute
from statefmt.model.cty import DYNAMIC, NUMBER, CtyValue, GetAttr, Number, Path, PathIndex
from statefmt.model.cty.data import Bound, Refinements, UnknownData
from statefmt.model.cty.parts import is_known, is_null, null, unmarked
from statefmt.model.cty.ranges import excludes, length
from statefmt.model.cty.unrefined import same_unrefined

ABSENT = "planned for absence but config wants existence"
PRESENT = "planned for existence but config wants absence"
_COUNT = "count in plan (%#v) disagrees with count in config (%#v)"
_NOTHING = null(DYNAMIC)


def attributes_problems(
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
        yield from _nested(attribute.nested, prior, config, planned, path)
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


def _nested(nested: NestedAttributes, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path) -> Problems:
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
                yield problem(path, _COUNT, ours, theirs)
        elif not is_known(ours) or ours.data != theirs.data:
            yield problem(path, _COUNT, ours, theirs)
        else:
            yield from _elements(nested, prior, config, planned, path)


def _elements(nested: NestedAttributes, prior: CtyValue, config: CtyValue, planned: CtyValue, path: Path) -> Problems:
    befores, wanted, found = parts_by_key(prior), parts_by_key(config), parts_by_key(planned)
    for key, element in found.items():
        if key in wanted:
            # Maps may be objects, so OpenTofu goes to their elements as to attributes.
            step = GetAttr(key) if isinstance(key, str) else PathIndex(key)
            before = befores.get(key, _NOTHING)
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
