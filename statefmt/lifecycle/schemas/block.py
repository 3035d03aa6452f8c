"""Models the schema of a resource type: blocks with attributes and nested blocks. Source: OpenTofu `configschema`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from statefmt.model.cty import Type

# `invalid` stands for a mode that is missing: OpenTofu then decodes no such blocks.
NestingMode: TypeAlias = Literal["single", "group", "list", "set", "map", "invalid"]


class SchemaAttribute(Struct, frozen=True):
    """One attribute. It has either a type, or a nested type: attributes of its own."""

    type: Type | None = None
    nested: NestedAttributes | None = None
    required: bool = False
    optional: bool = False
    computed: bool = False
    sensitive: bool = False
    write_only: bool = False
    deprecated: bool = False
    deprecation_message: str = ""


class NestedAttributes(Struct, frozen=True):
    """The nested type of an attribute; `nesting` is never `group`."""

    attributes: Mapping[str, SchemaAttribute]
    nesting: NestingMode


class NestedBlock(Struct, frozen=True):
    """A block within a block. A limit of 0 is none."""

    block: SchemaBlock
    nesting: NestingMode
    min_items: int = 0
    max_items: int = 0


class SchemaBlock(Struct, frozen=True):
    """The attributes and nested blocks of a block, in bytewise order of their names.

    `ephemeral` is true for the root block of an ephemeral resource type.
    """

    attributes: Mapping[str, SchemaAttribute] = {}
    blocks: Mapping[str, NestedBlock] = {}
    deprecated: bool = False
    deprecation_message: str = ""
    ephemeral: bool = False

    def decoded_blocks(self) -> Iterator[tuple[str, NestedBlock]]:
        """Yield the nested blocks that values have, by name: not those without a mode or named like an attribute."""
        for name, nested in self.blocks.items():
            if nested.nesting != "invalid" and name not in self.attributes:
                yield name, nested
