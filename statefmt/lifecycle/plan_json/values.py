"""Shows single values and the two sides of a change."""

from __future__ import annotations

from msgspec import Struct

from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.plan_json._known_part import UnknownShape, known_json, unknown_shape
from statefmt.lifecycle.schemas.block import SchemaBlock
from statefmt.lifecycle.schemas.sensitive_json import SensitiveShape, sensitive_json
from statefmt.lifecycle.schemas.value_marks import value_marks
from statefmt.model.cty import CtyValue, Path
from statefmt.model.cty.parts import unmarked_deep


class ShownValue(Struct, frozen=True):
    """A planned value in JSON: `json` is its known part as compact JSON, None if nothing is known.

    `unknown` and `sensitive` have the shape of the value, with true for each such part.
    """

    json: bytes | None
    unknown: UnknownShape
    sensitive: SensitiveShape


class ShownChange(Struct, frozen=True):
    """The sides of a change of an object: the member `after` of the plan's JSON is `after.json`, and so on."""

    before: ShownValue
    after: ShownValue


def plan_json_value(value: CtyValue) -> ShownValue:
    """Show a value as the JSON form of plans does, sensitive by its marks only. Sensitive values are shown.

    Raises CtyEncodeError for infinity and for numbers of more than 100,000 digits, and CtyValueError for values
    nested too deeply.
    """
    return _shown(value, ())


def plan_change(schema: SchemaBlock, before: CtyValue, after: CtyValue) -> ShownChange:
    """Show the sides of a change; what the schema says is sensitive is so, too. Errors are those of plan_json_value().

    Both values have the type that the schema implies, and are null if there is no object. Source: OpenTofu
    `jsonplan.MarshalResourceChanges`.
    """
    return ShownChange(*(_shown(each, _sensitive(schema, each)) for each in (before, after)))


@refuses_depth
def _shown(value: CtyValue, sensitive: tuple[Path, ...]) -> ShownValue:
    return ShownValue(known_json(unmarked_deep(value)), unknown_shape(value), sensitive_json(value, sensitive))


def _sensitive(schema: SchemaBlock, value: CtyValue) -> tuple[Path, ...]:
    return tuple(each.path for each in value_marks(schema, value) if "sensitive" in each.marks)
