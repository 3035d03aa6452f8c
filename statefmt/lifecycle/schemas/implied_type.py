"""Computes the types that blocks and attributes decode to. Source: OpenTofu `configschema`, `DecoderSpec`."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.schemas.block import NestedAttributes, NestedBlock, SchemaAttribute, SchemaBlock
from statefmt.model.cty.types import DYNAMIC, ListType, MapType, ObjectType, SetType, Type, object_type
from statefmt.model.cty.unify import has_dynamic, without_optional

EMPTY_OBJECT = ObjectType({})


@refuses_depth
def implied_type(block: SchemaBlock) -> ObjectType:
    """Return the type of the object that a block decodes to.

    A list or map of blocks with a dynamic attribute has the type DYNAMIC: its values are tuples and objects. An
    attribute without a type has the type DYNAMIC, too. If a block and an attribute have one name, the attribute
    counts. Raises CtyValueError if the schema is nested too deeply. Source: OpenTofu `Block.ImpliedType`.
    """
    found = without_optional(decoding_type(block))
    assert isinstance(found, ObjectType)
    return found


def decoding_type(block: SchemaBlock) -> ObjectType:
    """Return the type to which configuration converts: as implied_type(), but with optional nested attributes.

    Raises RecursionError if the schema is nested too deeply. Source: OpenTofu `Block.specType`.
    """
    types: dict[str, Type] = {name: _attribute(each) for name, each in block.attributes.items()}
    types.update((name, _block(nested)) for name, nested in block.decoded_blocks())
    return object_type(types)


def attribute_type(attribute: SchemaAttribute) -> Type:
    """Return the type of an attribute's values. Source: OpenTofu `Attribute.ImpliedType`."""
    return without_optional(_attribute(attribute))


def _attribute(attribute: SchemaAttribute) -> Type:
    if attribute.nested is None:
        return DYNAMIC if attribute.type is None else attribute.type
    return _nested(attribute.nested)


def _nested(nested: NestedAttributes) -> Type:
    element = object_type(_types(nested.attributes), _optional(nested.attributes))
    match nested.nesting:
        case "single":
            return element
        case "list":
            return ListType(element)
        case "map":
            return MapType(element)
        case "set":
            return SetType(element)
        case _:
            return EMPTY_OBJECT


def _types(attributes: Mapping[str, SchemaAttribute]) -> Mapping[str, Type]:
    return {name: _attribute(each) for name, each in attributes.items()}


def _optional(attributes: Mapping[str, SchemaAttribute]) -> frozenset[str]:
    return frozenset(name for name, each in attributes.items() if each.optional or each.computed)


def _block(nested: NestedBlock) -> Type:
    element = decoding_type(nested.block)
    match nested.nesting:
        case "list":
            return DYNAMIC if has_dynamic(element) else ListType(element)
        case "map":
            return DYNAMIC if has_dynamic(element) else MapType(element)
        case "set":
            return SetType(element)
        case _:
            return element
