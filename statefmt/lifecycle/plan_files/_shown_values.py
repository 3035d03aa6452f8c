"""Shows single values and the two sides of a change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct

from statefmt.golang import encode_string
from statefmt.lifecycle.schema import SchemaBlock, refuses_depth
from statefmt.lifecycle.schema_marks import value_marks
from statefmt.model.cty import DynamicType, MapType, ObjectType, PrimitiveType
from statefmt.model.cty.data import CtyValue, GetAttr, Path, PathIndex, UnknownData
from statefmt.model.cty.parts import elements, is_known, is_null, is_wholly_known, marks, steps, unmarked, unmarked_deep
from statefmt.model.cty.paths import PathTree
from statefmt.model.cty.values import write_value
from statefmt.redaction.partial import step_key
from tests.lifecycle.opentofu.parts import null, object_of, tuple_of


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


UnknownShape: TypeAlias = "bool | list[UnknownShape] | dict[str, UnknownShape]"


@refuses_depth
def known_json(value: CtyValue) -> bytes | None:
    """Return the known part of a value without marks as compact JSON; None if all of it is unknown.

    Unknown parts are left out of objects and maps, and are null in sequences. Raises CtyEncodeError for infinity,
    numbers of more than 100,000 digits and marks, and CtyValueError for values nested too deeply. Source: OpenTofu
    `jsonplan.omitUnknowns`.
    """
    known = value if is_wholly_known(value) else _known(value)
    return None if known is None else write_value(known)


@refuses_depth
def unknown_shape(value: CtyValue) -> UnknownShape:
    """Return the shape of a value with true for each unknown part.

    Known parts are left out of objects and maps, and are false in sequences; a wholly known value is `{}`. Marks do
    not matter. Raises CtyValueError for values nested too deeply. Source: OpenTofu `jsonplan.unknownAsBool`.
    """
    return {} if is_wholly_known(value) else _shape(unmarked(value))


def _known(value: CtyValue) -> CtyValue | None:
    if not is_known(value):
        return None
    if not isinstance(value.data, (tuple, dict)):
        return value
    parts = [(key, part, _known(part)) for key, part in elements(value)]
    if isinstance(value.data, dict):
        return object_of({str(key): known for key, _, known in parts if known is not None})
    return tuple_of([null(part.type) if known is None else known for _, part, known in parts])


def _shape(value: CtyValue) -> UnknownShape:
    if not isinstance(value.data, (tuple, dict)):
        return isinstance(value.data, UnknownData)
    parts = [(key, _shape(unmarked(part))) for key, part in elements(value)]
    if isinstance(value.type, (MapType, ObjectType)):
        return {str(key): shape for key, shape in parts if shape is not False}
    return [shape for _, shape in parts]


def encode_replace_paths(paths: Iterable[Path]) -> bytes:
    """Encode paths as compact JSON: `[["triggers","name",0]]`. Attributes and keys of maps look alike.

    Raises CtyEncodeError for a key that JSON cannot represent. Source: OpenTofu `jsonplan.encodePaths`.
    """
    return b"[%b]" % b",".join(b"[%b]" % b",".join(map(_step, path)) for path in paths)


def _step(step: GetAttr | PathIndex) -> bytes:
    key = step.name if isinstance(step, GetAttr) else step.key
    if isinstance(key, CtyValue):
        return write_value(key)
    return encode_string(key) if isinstance(key, str) else b"%d" % key


SensitiveShape: TypeAlias = "bool | list[SensitiveShape] | dict[str, SensitiveShape]"


@refuses_depth
def sensitive_json(value: CtyValue, sensitive: Iterable[Path] = ()) -> SensitiveShape:
    """Return the shape of a value with true for each sensitive part: what has the mark, or a path of `sensitive`.

    Parts that are not sensitive are left out of objects and maps, and are false in sequences. An unknown or empty
    sequence is `[]`, an unknown or empty object `{}`. Raises CtyValueError if the value is nested too deeply. Source:
    OpenTofu `jsonstate.SensitiveAsBoolWithPathValueMarks`.
    """
    return _sensitive_shape(value, PathTree((path, True) for path in sensitive))


def _sensitive_shape(value: CtyValue, tree: PathTree[bool] | None) -> SensitiveShape:
    if "sensitive" in marks(value) or (tree is not None and tree.found):
        return True
    if is_null(value) or isinstance(value.type, (PrimitiveType, DynamicType)):
        return False
    parts = [(step, _sensitive_shape(part, None if tree is None else tree.child(step))) for step, part in steps(value)]
    if isinstance(value.type, (MapType, ObjectType)):
        return {str(step_key(step)): shape for step, shape in parts if shape is not False}
    return [shape for _, shape in parts]
