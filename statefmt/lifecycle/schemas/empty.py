"""Makes the value of a block that is empty or unknown. Source: OpenTofu `EmptyValue`, `UnknownValue`."""

from __future__ import annotations

from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.schemas.block import NestedBlock, SchemaBlock
from statefmt.lifecycle.schemas.implied_type import attribute_type, implied_type
from statefmt.model.cty import CtyValue
from statefmt.model.cty.parts import list_of, map_of, null, object_of, set_of, tuple_of, unknown
from statefmt.model.cty.types import ListType, MapType, SetType
from statefmt.model.cty.unify import has_dynamic


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
