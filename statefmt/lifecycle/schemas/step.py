"""Goes from a place in a schema to the next, along with a step into a value."""

from __future__ import annotations

from typing import TypeAlias

from statefmt.lifecycle.schemas.block import NestedAttributes, SchemaAttribute, SchemaBlock
from statefmt.model.cty import GetAttr
from statefmt.model.cty.steps import PathStep

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
