"""Answers coerce_value, conformance and what schemas say of values: types, marks, write-only paths."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from statefmt.lifecycle.plan_files._shown_values import sensitive_json
from statefmt.lifecycle.schema import implied_type
from statefmt.lifecycle.schema_marks import contains_sensitive, contains_write_only, value_marks, write_only_paths
from statefmt.lifecycle.stored import ValueProblem, conformance, formatted_path
from statefmt.model.cty import encode_type
from statefmt.model.cty.parts import PathMarks, is_wholly_known
from tests.lifecycle.opentofu.convert import CtyConversionError
from tests.lifecycle.opentofu.parts import null
from tests.lifecycle.opentofu.proposed_new import empty_value, unknown_value
from tests.lifecycle.opentofu.schemas import coerce_value, internal_validate
from tests.lifecycle.opentofu.write_only import contains_deprecated, write_only_diagnostics, write_only_values
from tests.lifecycle.values import decode, encode, encode_path, encode_type_problem, schema_of


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


def _write_only_paths(case: dict[str, Any]) -> dict[str, Any]:
    schema = schema_of(case)
    value = decode(case["value"]) or null(implied_type(schema))
    paths = [{"at": formatted_path(path), "path": encode_path(path)} for path in write_only_paths(schema, value)]
    return {
        "paths": _sorted(paths),
        "not_null": sorted(write_only_diagnostics("test_thing", write_only_values(schema, value))),
    }


def _empty_unknown(case: dict[str, Any]) -> dict[str, Any]:
    schema = schema_of(case)
    return {"empty": encode(empty_value(schema)), "unknown": encode(unknown_value(schema))}


def _coerce_value(case: dict[str, Any]) -> dict[str, Any]:
    schema = schema_of(case)
    try:
        return {"result": encode(coerce_value(schema, decode(case["value"]) or null(implied_type(schema))))}
    except CtyConversionError as error:
        return {"error": encode_type_problem(ValueProblem(error.path, "", error.detail))}


def _conformance(case: dict[str, Any]) -> dict[str, Any]:
    schema = schema_of(case)
    value = decode(case["value"]) or null(implied_type(schema))
    found = conformance(value.type, implied_type(schema))
    return {"valid": not found, "errors": list(map(encode_type_problem, found))}


def _internal_validate(case: dict[str, Any]) -> dict[str, Any]:
    found = internal_validate(schema_of(case))
    return {"valid": not found, "errors": list(found)}


ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "coerce_value": _coerce_value,
    "conformance": _conformance,
    "empty_unknown": _empty_unknown,
    "implied_type": _implied_type,
    "internal_validate": _internal_validate,
    "value_marks": _value_marks,
    "write_only_paths": _write_only_paths,
}
