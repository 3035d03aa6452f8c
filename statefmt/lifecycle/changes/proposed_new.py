"""Merges configuration and prior state into the object that a provider is asked to plan.

Source: OpenTofu `objchange.ProposedNew`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from statefmt.lifecycle.changes._assemble import like
from statefmt.lifecycle.changes._prior_elements import PriorElements
from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.members import member, parts_by_key
from statefmt.lifecycle.schemas.block import NestedAttributes, NestingMode, SchemaAttribute, SchemaBlock
from statefmt.lifecycle.schemas.empty import empty_value
from statefmt.lifecycle.schemas.implied_type import implied_type
from statefmt.lifecycle.schemas.step import SchemaPlace, schema_below
from statefmt.model.cty import CtyValue, CtyValueError
from statefmt.model.cty.parts import elements, is_known, is_null, length, null, object_of, unknown, unmarked_deep
from statefmt.model.cty.path_marks import steps
from statefmt.model.cty.types import DynamicType, ListType, SetType

_Schema: TypeAlias = SchemaBlock | NestedAttributes


@refuses_depth
def proposed_new(block: SchemaBlock, prior: CtyValue, config: CtyValue) -> CtyValue:
    """Return the configuration with prior values for what the provider computes and the configuration leaves out.

    Both are objects of the type that the schema implies, or null. Marks are dropped. Nested blocks and attributes
    are matched by index, key, or, in sets, by what could have come from the configuration.

    Raises CtyValueError for values that lack attributes of the schema or are nested too deeply, and where elements of
    a collection end up with different types, on which OpenTofu crashes.
    """
    return _block(block, unmarked_deep(prior), unmarked_deep(config))


@refuses_depth
def planned_unknown(block: SchemaBlock, config: CtyValue) -> CtyValue:
    """Return the configuration with unknown values for what is computed and left out, as for data resources.

    As proposed_new(), with an unknown prior object. Source: OpenTofu `objchange.PlannedUnknownObject`.
    """
    return _merged(block, unknown(implied_type(block)), unmarked_deep(config))


def _block(block: SchemaBlock, prior: CtyValue, config: CtyValue) -> CtyValue:
    if is_null(config) and is_null(prior):
        return prior
    return _merged(block, empty_value(block) if is_null(prior) else prior, config)


def _merged(block: SchemaBlock, prior: CtyValue, config: CtyValue) -> CtyValue:
    if is_null(config) or not is_known(config):
        return prior
    found = _attributes(block.attributes, prior, config)
    for name, nested in block.decoded_blocks():
        before, wanted = member(prior, name), member(config, name)
        found[name] = _nested(nested.block, nested.nesting, before, wanted)
    return object_of(found)


def _attributes(schemas: Mapping[str, SchemaAttribute], prior: CtyValue, config: CtyValue) -> dict[str, CtyValue]:
    found: dict[str, CtyValue] = {}
    for name, schema in schemas.items():
        before, wanted = member(prior, name), member(config, name)
        if schema.computed and is_null(wanted):
            # What is optional and has parts that no provider computes came from the configuration, and is gone now.
            gone = schema.optional and schema.nested is not None and _came_from_config(schema.nested, before)
            found[name] = wanted if gone else before
        elif schema.nested is not None:
            found[name] = _nested(schema.nested, schema.nested.nesting, before, wanted)
        else:
            found[name] = wanted
    return found


def _came_from_config(place: SchemaPlace, value: CtyValue) -> bool:
    if place is None or is_null(value):
        return False
    if isinstance(place, SchemaAttribute):
        if not place.computed:
            return True
        if place.nested is None:
            return False
    return any(_came_from_config(schema_below(place, step), part) for step, part in steps(value))


def _nested(schema: _Schema, nesting: NestingMode, prior: CtyValue, config: CtyValue) -> CtyValue:
    if not is_known(config):
        return config
    match nesting:
        case "group" if isinstance(schema, SchemaBlock):
            return _block(schema, prior, config)
        case "single":
            return config if is_null(config) else _one(schema, prior, config)
        case "list" | "map" | "set" if is_null(config) or not length(config):
            return config
        case "list":
            return _list(schema, prior, config)
        case "map":
            return _map(schema, prior, config)
        case "set":
            return _set(schema, prior, config)
    return config


def _one(schema: _Schema, prior: CtyValue, config: CtyValue) -> CtyValue:
    if isinstance(schema, SchemaBlock):
        return _block(schema, prior, config)
    return config if is_null(config) else object_of(_attributes(schema.attributes, prior, config))


def _list(schema: _Schema, prior: CtyValue, config: CtyValue) -> CtyValue:
    befores = parts_by_key(prior)
    found: list[CtyValue] = []
    for key, wanted in elements(config):
        before = None if isinstance(key, CtyValue) else befores.get(key)
        if before is None and not is_known(prior):
            before = _unknown_element(prior)
        found.append(wanted if before is None else _one(schema, before, wanted))
    return like(config, found)


def _unknown_element(whole: CtyValue) -> CtyValue | None:
    of = whole.type
    if isinstance(of, ListType):
        return unknown(of.element)
    return unknown(of) if isinstance(of, DynamicType) else None


def _map(schema: _Schema, prior: CtyValue, config: CtyValue) -> CtyValue:
    befores = parts_by_key(prior) if is_known(prior) else {}
    found: list[CtyValue] = []
    for key, wanted in elements(config):
        if not isinstance(key, str):
            raise CtyValueError("a map is required")
        found.append(_one(schema, befores[key], wanted) if key in befores else wanted)
    return like(config, found)


def _set(schema: _Schema, prior: CtyValue, config: CtyValue) -> CtyValue:
    if not isinstance(config.type, SetType):
        raise CtyValueError("a set is required")
    known = is_known(prior) and not is_null(prior)
    befores = PriorElements(schema, [part for _, part in elements(prior)] if known else [])
    nothing = null(config.type.element)
    return like(config, [_one(schema, befores.take(wanted) or nothing, wanted) for _, wanted in elements(config)])
