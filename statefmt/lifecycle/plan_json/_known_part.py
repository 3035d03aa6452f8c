"""Separates what is known of a value from what is not, as the JSON form of plans does."""

from __future__ import annotations

from typing import TypeAlias

from statefmt.lifecycle.depth import refuses_depth
from statefmt.model.cty import CtyValue, MapType, ObjectType, write_value
from statefmt.model.cty.data import UnknownData
from statefmt.model.cty.parts import elements, is_known, is_wholly_known, null, object_of, tuple_of, unmarked

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
