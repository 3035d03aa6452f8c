"""Merges configuration and prior state into the object that a provider is asked to plan.

Source: OpenTofu `objchange.ProposedNew`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias

from statefmt.lifecycle.plan_valid import member, parts_by_key, same_unrefined
from statefmt.lifecycle.schema import (
    NestedAttributes,
    NestedBlock,
    NestingMode,
    SchemaAttribute,
    SchemaBlock,
    implied_type,
    refuses_depth,
)
from statefmt.model.cty import CtyValueError, DynamicType, ListType, MapType, ObjectType, SetType, TupleType, Type
from statefmt.model.cty.data import CtyValue, GetAttr, PathStep, has_unknown
from statefmt.model.cty.parts import (
    attribute,
    elements,
    is_known,
    is_null,
    set_of,
    split_marks,
    steps,
    unknown,
    unmarked_deep,
    with_path_marks,
)
from statefmt.model.cty.paths import comparable_key
from statefmt.model.cty.unify import has_dynamic
from tests.lifecycle.opentofu.parts import have_one_type, length, list_of, map_of, null, object_of, tuple_of

_Schema: TypeAlias = SchemaBlock | NestedAttributes


def attribute_type(attribute: SchemaAttribute) -> Type:
    """The type of an attribute's values. Source: OpenTofu `Attribute.ImpliedType`."""
    return implied_type(SchemaBlock({"attribute": attribute})).attributes["attribute"]


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


_Names = tuple[str, ...]


class PriorElements:
    """The elements of a prior set, each of which belongs to one element of the configuration at most.

    Elements are looked up by the attributes that must be equal, so that usually few have to be compared.
    """

    def __init__(self, schema: SchemaBlock | NestedAttributes, elements: Sequence[CtyValue]) -> None:
        self._schema = schema
        self._elements = elements
        self._used = [False] * len(elements)
        self._leaves = [(name, each) for name, each in schema.attributes.items() if each.nested is None]
        # Of null and unknown elements nothing can be looked up.
        self._plain = all(isinstance(each.data, dict) and isinstance(each.type, ObjectType) for each in elements)
        self._places: dict[_Names, dict[Hashable, deque[int]]] = {}

    def take(self, config: CtyValue) -> CtyValue | None:
        """Return the element that `config` was, and use it up; None if there is none."""
        for place in self._candidates(config):
            if not self._used[place] and _could_come_from(self._schema, self._elements[place], config):
                self._used[place] = True
                return self._elements[place]
        return None

    def _candidates(self, config: CtyValue) -> Iterable[int]:
        if not self._plain or not isinstance(config.data, dict) or not isinstance(config.type, ObjectType):
            return range(len(self._elements))
        names = tuple(name for name, each in self._leaves if _must_be_equal(config, name, each))
        index = self._places.get(names)
        if index is None:
            index = self._places[names] = defaultdict(deque)
            for place, element in enumerate(self._elements):
                index[_key(element, names)].append(place)
        found = index.get(_key(config, names), deque())
        while found and self._used[found[0]]:
            found.popleft()
        return found


def _must_be_equal(config: CtyValue, name: str, schema: SchemaAttribute) -> bool:
    """Return whether an attribute that is no object of its own must be equal: it is not left to the provider.

    OpenTofu compares sets as a whole, even if they are computed.
    """
    assert isinstance(config.type, ObjectType)
    of = config.type.attributes.get(name)
    return of is not None and (not schema.computed or isinstance(of, SetType) or not is_null(attribute(config, name)))


def _key(element: CtyValue, names: _Names) -> Hashable:
    assert isinstance(element.type, ObjectType)
    found: list[Hashable] = []
    for name in names:
        of = element.type.attributes.get(name)
        part = None if of is None else attribute(element, name).data
        # Values with unknown parts are compared later, without what is known of these.
        found.append("unknown" if of is None or has_unknown(part) else (comparable_key(part, of),))
    return tuple(found)


def _could_come_from(place: SchemaPlace, prior: CtyValue, config: CtyValue | None) -> bool:
    if config is None:
        return False
    if same_unrefined(config, prior):
        return True
    if isinstance(config.type, SetType):
        return False
    if isinstance(place, SchemaAttribute) and place.nested is None:
        return place.computed and is_null(config)
    return all(_could_come_from(schema_below(place, step), part, _at(config, step)) for step, part in steps(prior))


def _at(value: CtyValue, step: PathStep) -> CtyValue | None:
    """Return the part of a value that is no set; None if it has none there."""
    if is_null(value):
        return None
    of = value.type
    if isinstance(step, GetAttr):
        return attribute(value, step.name) if isinstance(of, ObjectType) and step.name in of.attributes else None
    key, inner = step.key, None
    if isinstance(key, int) and isinstance(of, (ListType, TupleType)):
        inner = of.element if isinstance(of, ListType) else of.elements[key] if key < len(of.elements) else None
    elif isinstance(key, str) and isinstance(of, MapType):
        inner = of.element
    if inner is None:
        return None
    data = value.data
    if isinstance(data, tuple) and isinstance(key, int):
        return CtyValue(inner, data[key]) if key < len(data) else None
    if isinstance(data, dict) and isinstance(key, str):
        return CtyValue(inner, data[key]) if key in data else None
    return unknown(inner)


def like(whole: CtyValue, parts: Sequence[CtyValue]) -> CtyValue:
    """Make a value of the kind of `whole` of new parts, in the order of its own; sets and lists may have fewer.

    Raises CtyValueError if the parts differ in type and the kind does not allow that.
    """
    of = whole.type
    if isinstance(of, TupleType):
        return tuple_of(parts)
    if isinstance(of, ObjectType):
        assert isinstance(whole.data, dict)
        return object_of(dict(zip(sorted(whole.data), parts, strict=True)))
    assert isinstance(of, (ListType, SetType, MapType))
    if not have_one_type(parts):
        raise CtyValueError("elements of one collection have different types")
    if isinstance(of, MapType):
        assert isinstance(whole.data, dict)
        return map_of(dict(zip(sorted(whole.data), parts, strict=True)), of.element)
    return list_of(parts, of.element) if isinstance(of, ListType) else set_of(parts, of.element)


@refuses_depth
def normalize_legacy(block: SchemaBlock, value: CtyValue) -> CtyValue:
    """Return the object with nested blocks that are never null or unknown themselves.

    Unknown blocks become one block whose attributes are unknown, null ones none. Blocks with dynamic attributes and
    maps of blocks stay as they are, as the legacy SDK has neither. Marks stay.

    Raises CtyValueError for values that lack attributes of the schema or are nested too deeply, and where elements of
    a collection end up with different types, on which OpenTofu crashes.
    """
    plain, marks = split_marks(value)
    return with_path_marks(_object(block, plain), marks)


def _object(block: SchemaBlock, value: CtyValue) -> CtyValue:
    if is_null(value):
        return null(implied_type(block))
    found = {name: member(value, name) for name in block.attributes}
    for name, nested in block.decoded_blocks():
        inner = member(value, name)
        found[name] = inner if has_dynamic(implied_type(nested.block)) else _normal_nested(nested, inner)
    return object_of(found)


def _normal_nested(nested: NestedBlock, value: CtyValue) -> CtyValue:
    match nested.nesting:
        case "single" | "group":
            if not is_known(value):
                return _stub(nested.block)
            if is_null(value) and nested.nesting == "group":
                return empty_nested(nested)
            return _object(nested.block, value)
        case "list" | "set":
            return _sequence(nested, value)
    return value


def _sequence(nested: NestedBlock, value: CtyValue) -> CtyValue:
    of, is_list = implied_type(nested.block), nested.nesting == "list"
    if not is_known(value):
        return list_of((_stub(nested.block),), of) if is_list else set_of((_stub(nested.block),), of)
    if is_null(value) or not length(value):
        return list_of((), of) if is_list else set_of((), of)
    found = [_object(nested.block, part) for _, part in elements(value)]
    return like(null(ListType(of) if is_list else SetType(of)), found)


def _stub(block: SchemaBlock) -> CtyValue:
    """Return a block of which only the attributes are unknown. Source: `unknownBlockStub`."""
    found = {name: unknown(attribute_type(each)) for name, each in block.attributes.items()}
    for name, nested in block.decoded_blocks():
        of = implied_type(nested.block)
        match nested.nesting:
            case "list":
                found[name] = list_of((_stub(nested.block),), of)
            case "set":
                found[name] = set_of((_stub(nested.block),), of)
            case "map":
                found[name] = map_of({}, of)
            case _:
                found[name] = _stub(nested.block)
    return object_of(found)


# None: within the value of an attribute, or nowhere.
SchemaPlace: TypeAlias = SchemaBlock | NestedAttributes | SchemaAttribute | None


def schema_below(place: SchemaPlace, step: PathStep) -> SchemaPlace:
    """Return the place below `place`. Steps to elements stay at the same blocks or nested attributes.

    Source: OpenTofu `Block.AttributeByPath`, `Object.AttributeByPath`.
    """
    if isinstance(place, SchemaAttribute):
        place = place.nested
    if place is None or not isinstance(step, GetAttr):
        return place
    found = place.attributes.get(step.name)
    if found is not None:
        return found
    if isinstance(place, NestedAttributes):
        return place
    nested = place.blocks.get(step.name)
    return None if nested is None else nested.block


@refuses_depth
def empty_value(block: SchemaBlock) -> CtyValue:
    """Return what a block without attributes and blocks decodes to, if nothing was required.

    Raises CtyValueError if the schema is nested too deeply.
    """
    values = {name: null(attribute_type(each)) for name, each in block.attributes.items()}
    return object_of({**values, **{name: empty_nested(each) for name, each in block.decoded_blocks()}})


def empty_nested(nested: NestedBlock) -> CtyValue:
    """Return what no blocks of this kind decode to."""
    if nested.nesting == "group":
        return empty_value(nested.block)
    of = implied_type(nested.block)
    match nested.nesting:
        case "list":
            return tuple_of(()) if has_dynamic(of) else list_of((), of)
        case "map":
            return object_of({}) if has_dynamic(of) else map_of({}, of)
        case "set":
            return set_of((), of)
        case _:
            return null(of)


@refuses_depth
def unknown_value(block: SchemaBlock) -> CtyValue:
    """Return a known block with unknown attributes and unknown nested blocks.

    Raises CtyValueError if the schema is nested too deeply.
    """
    values = {name: unknown(attribute_type(each)) for name, each in block.attributes.items()}
    return object_of({**values, **{name: _unknown_nested(each) for name, each in block.decoded_blocks()}})


def _unknown_nested(nested: NestedBlock) -> CtyValue:
    of = implied_type(nested.block)
    match nested.nesting:
        case "list":
            return unknown(ListType(of))
        case "map":
            return unknown(MapType(of))
        case "set":
            return unknown(SetType(of))
        case _:
            return unknown(of)
