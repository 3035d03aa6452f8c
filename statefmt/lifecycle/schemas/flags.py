"""Checks whether a schema has attributes with a flag at any depth. Source: OpenTofu `ContainsSensitive`."""

from __future__ import annotations

from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.schemas._contains import contains
from statefmt.lifecycle.schemas.block import NestedAttributes, SchemaBlock


@refuses_depth
def contains_sensitive(schema: SchemaBlock | NestedAttributes) -> bool:
    """Return whether an attribute at any depth is sensitive. Raises CtyValueError if it is nested too deeply."""
    return contains(schema, lambda attribute: attribute.sensitive)


@refuses_depth
def contains_deprecated(schema: SchemaBlock | NestedAttributes) -> bool:
    """Return whether an attribute at any depth is deprecated; blocks do not count."""
    return contains(schema, lambda attribute: attribute.deprecated)


@refuses_depth
def contains_write_only(schema: SchemaBlock | NestedAttributes) -> bool:
    """Return whether an attribute at any depth is write-only."""
    return contains(schema, lambda attribute: attribute.write_only)
