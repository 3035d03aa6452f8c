"""Brings objects of providers with the legacy SDK into the form that others keep to.

Source: OpenTofu `objchange.NormalizeObjectFromLegacySDK`.
"""

from __future__ import annotations

from statefmt.lifecycle.changes._assemble import like
from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.members import member
from statefmt.lifecycle.schemas.block import NestedBlock, SchemaBlock
from statefmt.lifecycle.schemas.empty import empty_nested
from statefmt.lifecycle.schemas.implied_type import attribute_type, implied_type
from statefmt.model.cty import CtyValue, ListType, SetType
from statefmt.model.cty.parts import (
    elements,
    is_known,
    is_null,
    length,
    list_of,
    map_of,
    null,
    object_of,
    set_of,
    unknown,
)
from statefmt.model.cty.path_marks import split_marks, with_path_marks
from statefmt.model.cty.unify import has_dynamic


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
        found[name] = inner if has_dynamic(implied_type(nested.block)) else _nested(nested, inner)
    return object_of(found)


def _nested(nested: NestedBlock, value: CtyValue) -> CtyValue:
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
