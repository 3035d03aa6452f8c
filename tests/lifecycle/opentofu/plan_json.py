"""Shows single values and the two sides of a change, with what a schema makes sensitive."""

from __future__ import annotations

from msgspec import Struct

from statefmt.lifecycle.plan_files._shown_values import ShownValue, shown_value
from statefmt.lifecycle.schema import SchemaBlock
from statefmt.lifecycle.schema_marks import value_marks
from statefmt.model.cty.data import CtyValue, Path


class ShownChange(Struct, frozen=True):
    """The sides of a change of an object: the member `after` of the plan's JSON is `after.json`, and so on."""

    before: ShownValue
    after: ShownValue


def plan_json_value(value: CtyValue) -> ShownValue:
    """Show a value as the JSON form of plans does, sensitive by its marks only."""
    return shown_value(value)


def plan_change(schema: SchemaBlock, before: CtyValue, after: CtyValue) -> ShownChange:
    """Show the sides of a change; what the schema says is sensitive is so, too.

    Both values have the type that the schema implies, and are null if there is no object. Source: OpenTofu
    `jsonplan.MarshalResourceChanges`.
    """
    return ShownChange(*(shown_value(each, _sensitive(schema, each)) for each in (before, after)))


def _sensitive(schema: SchemaBlock, value: CtyValue) -> tuple[Path, ...]:
    return tuple(each.path for each in value_marks(schema, value) if "sensitive" in each.marks)
