"""Answers coerce_value, conformance and what schemas say of values: types, marks, write-only paths."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from statefmt.lifecycle.formatted_path import formatted_path
from statefmt.lifecycle.schemas.contains import contains_deprecated, contains_sensitive, contains_write_only
from statefmt.lifecycle.schemas.implied_type import implied_type
from statefmt.lifecycle.schemas.sensitive_json import sensitive_json
from statefmt.lifecycle.schemas.value_marks import value_marks
from statefmt.model.cty import encode_type
from statefmt.model.cty.parts import is_wholly_known, null
from statefmt.model.cty.path_marks import PathMarks
from tests.lifecycle.values import decode, encode_path, schema_of


def _implied_type(case: dict[str, Any]) -> dict[str, Any]:
    schema = schema_of(case)
    return {
        "type": json.loads(encode_type(implied_type(schema))),
        "contains_sensitive": contains_sensitive(schema),
        "contains_deprecated": contains_deprecated(schema),
        "contains_write_only": contains_write_only(schema),
    }


def _value_marks(case: dict[str, Any]) -> dict[str, Any]:
    schema = schema_of(case)
    value = decode(case["value"]) or null(implied_type(schema))
    found = value_marks(schema, value)
    output: dict[str, Any] = {
        "marks": _encode_marks(found),
        "marks_with_subject": _encode_marks(value_marks(schema, value, deprecations=True)),
    }
    if is_wholly_known(value):
        sensitive = [each.path for each in found if "sensitive" in each.marks]
        output["sensitive_json"] = sensitive_json(value, sensitive)
    return output


def _encode_marks(found: Iterable[PathMarks]) -> list[dict[str, Any]]:
    entries = [
        {"at": formatted_path(each.path), "path": encode_path(each.path), "marks": sorted(each.marks)} for each in found
    ]
    return _sorted(entries)


def _sorted(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort as recorded: by text, then by JSON."""
    return sorted(entries, key=lambda entry: (entry["at"], json.dumps(entry, ensure_ascii=False, default=float)))


ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "implied_type": _implied_type,
    "value_marks": _value_marks,
}
