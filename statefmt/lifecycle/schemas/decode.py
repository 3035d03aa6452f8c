"""Reads the schema of one block from JSON, in the form of `providers schema -json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Raw, Struct

from statefmt.lifecycle.schemas.block import NestedAttributes, NestedBlock, NestingMode, SchemaAttribute, SchemaBlock
from statefmt.model.cty import Type, parse_type
from statefmt.model.cty.errors import CtyTypeError
from statefmt.model.errors import StatetoolError


class SchemaError(StatetoolError, ValueError):
    """A schema that cannot be read."""


# Raw admits no alternative in the types of msgspec.
_NO_TYPE: Final = Raw(b"null")


class _Attribute(Struct):
    type: Raw = _NO_TYPE
    nested_type: _NestedType | None = None
    required: bool = False
    optional: bool = False
    computed: bool = False
    sensitive: bool = False
    write_only: bool = False
    deprecated: bool = False
    deprecation_message: str = ""


class _NestedType(Struct):
    nesting_mode: NestingMode = "invalid"
    attributes: dict[str, _Attribute] = {}


class _Nested(Struct):
    nesting_mode: NestingMode = "invalid"
    block: _Block | None = None
    min_items: int = 0
    max_items: int = 0


class _Block(Struct):
    attributes: dict[str, _Attribute] = {}
    block_types: dict[str, _Nested] = {}
    deprecated: bool = False
    deprecation_message: str = ""


_DECODER = msgspec.json.Decoder(_Block)


def parse_block(raw: bytes, ephemeral: bool = False) -> SchemaBlock:
    """Parse the member `block` of a schema. Raises SchemaError, which says where.

    `ephemeral` marks the schema of an ephemeral resource type.
    """
    try:
        block = _block(_DECODER.decode(raw), ephemeral)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SchemaError(f"invalid schema: {error}") from None
    return block


def _block(found: _Block, ephemeral: bool = False) -> SchemaBlock:
    blocks = {
        name: NestedBlock(_block(each.block or _Block()), each.nesting_mode, each.min_items, each.max_items)
        for name, each in sorted(found.block_types.items())
    }
    return SchemaBlock(
        attributes=_attributes(found.attributes),
        blocks=blocks,
        deprecated=found.deprecated,
        deprecation_message=found.deprecation_message,
        ephemeral=ephemeral,
    )


def _attributes(found: Mapping[str, _Attribute]) -> dict[str, SchemaAttribute]:
    return {name: _attribute(name, each) for name, each in sorted(found.items())}


def _attribute(name: str, found: _Attribute) -> SchemaAttribute:
    nested = found.nested_type
    return SchemaAttribute(
        type=None if bytes(found.type) == b"null" else _type(name, bytes(found.type)),
        nested=None if nested is None else NestedAttributes(_attributes(nested.attributes), nested.nesting_mode),
        required=found.required,
        optional=found.optional,
        computed=found.computed,
        sensitive=found.sensitive,
        write_only=found.write_only,
        deprecated=found.deprecated,
        deprecation_message=found.deprecation_message,
    )


def _type(name: str, raw: bytes) -> Type:
    try:
        return parse_type(raw)
    except CtyTypeError as error:
        raise SchemaError(f"invalid schema: attribute {name!r}: {error}") from None
