"""Finds attributes anywhere in a schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from statefmt.lifecycle.schemas.block import NestedAttributes, SchemaAttribute, SchemaBlock


def contains(schema: SchemaBlock | NestedAttributes, wanted: Callable[[SchemaAttribute], bool]) -> bool:
    """Return whether an attribute at any depth is wanted."""
    if _among(schema.attributes, wanted):
        return True
    return isinstance(schema, SchemaBlock) and any(contains(each.block, wanted) for each in schema.blocks.values())


def _among(attributes: Mapping[str, SchemaAttribute], wanted: Callable[[SchemaAttribute], bool]) -> bool:
    return any(
        wanted(each) or (each.nested is not None and _among(each.nested.attributes, wanted))
        for each in attributes.values()
    )
