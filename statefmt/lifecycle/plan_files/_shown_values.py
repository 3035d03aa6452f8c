"""Encodes values of a plan as its JSON form does: the known part, and the shapes of what is unknown and sensitive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct

from statefmt.golang import encode_string
from statefmt.lifecycle.schema import refuses_depth
from statefmt.model.cty import (
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    TupleType,
    element_type,
    object_type,
)
from statefmt.model.cty.data import CtyValue, GetAttr, Path, PathIndex, UnknownData
from statefmt.model.cty.parts import elements, is_known, is_null, is_wholly_known, marks, steps, unmarked, unmarked_deep
from statefmt.model.cty.paths import PathTree
from statefmt.model.cty.values import write_value
from statefmt.redaction.partial import step_key


class ShownValue(Struct, frozen=True):
    """A planned value in JSON: `json` is its known part as compact JSON, None if nothing is known.

    `unknown` and `sensitive` have the shape of the value, with true for each such part.
    """

    json: bytes | None
    unknown: UnknownShape
    sensitive: SensitiveShape


@refuses_depth
def shown_value(value: CtyValue, sensitive: Iterable[Path] = ()) -> ShownValue:
    """Show a value as the JSON form of plans does; it is sensitive where marked, and at the paths of `sensitive`.

    Sensitive values are shown. Raises CtyEncodeError for infinity and for numbers of more than 100,000 digits, and
    CtyValueError for values nested too deeply.
    """
    return ShownValue(known_json(unmarked_deep(value)), unknown_shape(value), sensitive_json(value, sensitive))


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
        kept = {str(key): known for key, _, known in parts if known is not None}
        return CtyValue(
            object_type({name: each.type for name, each in kept.items()}),
            {name: each.data for name, each in kept.items()},
        )
    items = [CtyValue(part.type, None) if known is None else known for _, part, known in parts]
    return CtyValue(TupleType(tuple(item.type for item in items)), tuple(item.data for item in items))


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


def located(value: CtyValue, path: Path) -> Path | None:
    """Return the path to a part of the value in its own steps, or to what contains the part if it is not found.

    Without a schema, maps are read as objects and sets as tuples. The part may be null or unknown, as Terraform marks
    such values too; None if the path continues within a primitive, null or unknown value.
    """
    found: list[GetAttr | PathIndex] = []
    for step in path:
        key = step.name if isinstance(step, GetAttr) else step.key
        if not isinstance(value.data, (dict, tuple)):
            return None
        match value.type, value.data:
            case ObjectType(attributes), dict(data) if isinstance(key, str) and key in data:
                found.append(GetAttr(key))
                value = CtyValue(attributes[key], data[key])
            case MapType(element), dict(data) if isinstance(key, str) and key in data:
                found.append(PathIndex(key))
                value = CtyValue(element, data[key])
            case (ListType() | TupleType()) as of, tuple(items) if isinstance(key, int) and 0 <= key < len(items):
                found.append(PathIndex(key))
                value = CtyValue(element_type(of, key), items[key])
            case _:
                break
    return tuple(found)
