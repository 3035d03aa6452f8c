"""Finds deviations of stored attributes from a schema, which OpenTofu silently drops or tolerates.

Works on decoded JSON. Skips values of the wrong shape: decoding reports them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from statefmt.lifecycle.schema import NestedBlock, SchemaAttribute, SchemaBlock, decoding_type
from statefmt.model.cty import (
    BOOL,
    NUMBER,
    STRING,
    CtyTypeError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    parse_type,
)
from statefmt.model.cty.unify import has_dynamic

# JSON as msgspec decodes it.
JSONData: TypeAlias = "dict[str, JSONData] | list[JSONData] | str | int | float | bool | None"
JSONSteps: TypeAlias = tuple[str | int, ...]


class Deviation(Enum):
    """A kind of deviation: an error or only a notice."""

    UNKNOWN = "unknown"  # the schema has no such attribute
    WRITE_ONLY = "write-only"  # a write-only attribute has a value
    REQUIRED = "required"  # a required attribute is null or missing
    COUNT = "count"  # there are fewer or more blocks than allowed
    SENSITIVE = "sensitive"  # the schema makes this value sensitive
    DEPRECATED = "deprecated"  # a deprecated attribute or block has a value


class Deviating(Struct, frozen=True):
    """One deviation at a path of names and indexes as they are in the JSON.

    `note` is the message of a deprecation, or the limit that `count` blocks miss: `at least 1`.
    """

    kind: Deviation
    path: JSONSteps
    note: str = ""
    count: int = 0


_LISTS: Final = ("list", "set")
_WRAPPING: Final = {"type", "value"}


def deviations(block: SchemaBlock, attributes: JSONData) -> Iterator[Deviating]:
    """Yield the deviations of the attributes of one object. Raises RecursionError if they are nested too deeply."""
    if isinstance(attributes, dict):
        yield from _block(block, attributes, ())


def _block(block: SchemaBlock, value: Mapping[str, JSONData], path: JSONSteps) -> Iterator[Deviating]:
    blocks = dict(block.decoded_blocks())
    for name, item in value.items():
        if name not in block.attributes and name not in blocks and item is not None:
            yield Deviating(Deviation.UNKNOWN, (*path, name))
    yield from _attributes(block.attributes, value, path)
    for name, nested in blocks.items():
        yield from _blocks(nested, *_unwrapped(nested, value.get(name), (*path, name)))


def _attributes(
    attributes: Mapping[str, SchemaAttribute], value: Mapping[str, JSONData], path: JSONSteps
) -> Iterator[Deviating]:
    for name, attribute in attributes.items():
        item, steps = value.get(name), (*path, name)
        if item is None:
            if attribute.required and not attribute.write_only:
                yield Deviating(Deviation.REQUIRED, steps)
            continue
        if attribute.write_only:
            yield Deviating(Deviation.WRITE_ONLY, steps)
        if attribute.sensitive:
            yield Deviating(Deviation.SENSITIVE, steps)
        if attribute.deprecated and (attribute.optional or attribute.required):
            yield Deviating(Deviation.DEPRECATED, steps, attribute.deprecation_message)
        if attribute.nested is not None:
            for below, part in _parts(attribute.nested.nesting, item, steps):
                for extra, inner in part.items():
                    if inner is not None and extra not in attribute.nested.attributes:
                        yield Deviating(Deviation.UNKNOWN, (*below, extra))
                yield from _attributes(attribute.nested.attributes, part, below)
        elif attribute.type is not None:
            yield from _unknown_members(attribute.type, item, steps)


def _unwrapped(nested: NestedBlock, value: JSONData, path: JSONSteps) -> tuple[JSONData, JSONSteps]:
    """Unwrap lists and maps of blocks with dynamic attributes from `{"value": …, "type": …}`."""
    if nested.nesting not in ("list", "map") or not isinstance(value, dict) or value.keys() != _WRAPPING:
        return value, path
    # A map may have blocks with these two names.
    return (value["value"], (*path, "value")) if has_dynamic(decoding_type(nested.block)) else (value, path)


def _blocks(nested: NestedBlock, value: JSONData, path: JSONSteps) -> Iterator[Deviating]:
    parts = list(_parts(nested.nesting, value, path))
    if nested.nesting in _LISTS and (value is None or isinstance(value, list)):
        count = len(value or ())
        if count < nested.min_items:
            yield Deviating(Deviation.COUNT, path, f"at least {nested.min_items}", count)
        if nested.max_items and count > nested.max_items:
            yield Deviating(Deviation.COUNT, path, f"at most {nested.max_items}", count)
    elif nested.nesting == "single" and value is None and nested.min_items:
        yield Deviating(Deviation.COUNT, path, "at least 1")
    if parts and nested.block.deprecated:
        yield Deviating(Deviation.DEPRECATED, path, nested.block.deprecation_message)
    for below, part in parts:
        yield from _block(nested.block, part, below)


def _parts(nesting: str, value: JSONData, path: JSONSteps) -> Iterator[tuple[JSONSteps, Mapping[str, JSONData]]]:
    """Yield the objects within a nested attribute or block, with their paths."""
    items: Iterator[tuple[JSONSteps, JSONData]]
    if nesting in _LISTS:
        items = (((*path, index), item) for index, item in enumerate(value if isinstance(value, list) else ()))
    elif nesting == "map":
        items = (((*path, name), item) for name, item in (value.items() if isinstance(value, dict) else ()))
    else:
        items = iter([(path, value)])
    for steps, item in items:
        if isinstance(item, dict):
            yield steps, item


def _unknown_members(of: Type, value: JSONData, path: JSONSteps) -> Iterator[Deviating]:
    """Yield members that an object type lacks, at any depth."""
    match of:
        case ListType(element) | SetType(element) if isinstance(value, list):
            if _has_objects(element):
                for index, item in enumerate(value):
                    yield from _unknown_members(element, item, (*path, index))
        case MapType(element) if isinstance(value, dict):
            if _has_objects(element):
                for name, item in value.items():
                    yield from _unknown_members(element, item, (*path, name))
        case TupleType(elements) if isinstance(value, list):
            for index, (item, each) in enumerate(zip(value, elements, strict=False)):
                yield from _unknown_members(each, item, (*path, index))
        case ObjectType(attributes) if isinstance(value, dict):
            for name, item in value.items():
                if name in attributes:
                    yield from _unknown_members(attributes[name], item, (*path, name))
                elif item is not None:
                    yield Deviating(Deviation.UNKNOWN, (*path, name))


def _has_objects(of: Type) -> bool:
    if isinstance(of, (ListType, SetType, MapType)):
        return _has_objects(of.element)
    return isinstance(of, (ObjectType, TupleType))


def surely_fits(of: Type, value: JSONData) -> bool:
    """Return True only if decoding the value by the type cannot fail; False if the caller has to try.

    Values that convert to another primitive type have to be tried. Raises RecursionError if the value is nested too
    deeply.
    """
    if value is None or of is STRING:
        return not isinstance(value, (dict, list))
    if of is NUMBER:
        return isinstance(value, int) and not isinstance(value, bool)
    if of is BOOL:
        return isinstance(value, bool)
    match of:
        case ListType(element) | SetType(element):
            return isinstance(value, list) and all(surely_fits(element, item) for item in value)
        case MapType(element):
            return isinstance(value, dict) and all(surely_fits(element, item) for item in value.values())
        case ObjectType(attributes):
            return (
                isinstance(value, dict)
                and value.keys() <= attributes.keys()
                and all(surely_fits(attributes[name], item) for name, item in value.items())
            )
        case TupleType(elements):
            return isinstance(value, list) and len(value) == len(elements) and all(map(surely_fits, elements, value))
        case DynamicType():
            return isinstance(value, dict) and value.keys() == _WRAPPING and _fits_own_type(value)
    return False


def _fits_own_type(wrapping: dict[str, JSONData]) -> bool:
    try:
        of = parse_type(msgspec.json.encode(wrapping["type"]))
    except CtyTypeError:
        return False
    # Nothing wraps a value of any type twice.
    return not isinstance(of, DynamicType) and surely_fits(of, wrapping["value"])
