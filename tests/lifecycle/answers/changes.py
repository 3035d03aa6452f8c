"""Answers proposed_new, planned_unknown, normalize_legacy and lifecycle."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from statefmt.lifecycle.schema import SchemaBlock, implied_type
from statefmt.lifecycle.stored import ValueProblem, formatted_path
from statefmt.model.cty import CtyValueError
from statefmt.model.cty.data import CtyValue
from statefmt.model.cty.values import write_value
from tests.lifecycle.opentofu.parts import null
from tests.lifecycle.opentofu.phases import ObjectPhases, follow_lifecycle
from tests.lifecycle.opentofu.proposed_new import normalize_legacy, planned_unknown, proposed_new
from tests.lifecycle.values import decode, encode, encode_problem, encode_type_problem, schema_of


def _result(change: Callable[[SchemaBlock, dict[str, CtyValue]], CtyValue]) -> Callable[[dict[str, Any]], Any]:
    def answer(case: dict[str, Any]) -> dict[str, Any]:
        schema = schema_of(case)
        try:
            return {"result": encode(change(schema, _values(case, schema)))}
        except CtyValueError as error:
            return {"refused": error.detail}

    return answer


def _values(case: dict[str, Any], schema: SchemaBlock) -> dict[str, CtyValue]:
    names = ("prior", "config", "planned", "config_final", "planned_final", "applied", "value")
    return {name: decode(case[name]) or null(implied_type(schema)) for name in names if name in case}


def _lifecycle(case: dict[str, Any]) -> dict[str, Any]:
    schema = schema_of(case)
    phases = ObjectPhases(**_values(case, schema), legacy_type_system=case["legacy_type_system"])
    report = follow_lifecycle(schema, phases)
    stopped = report.stopped
    output = {
        "proposed_new": encode(report.proposed),
        "plan_errors": _problems(report.plan_problems, of_types=stopped == "plan: wrong type"),
        "actions": report.actions,
        "final_plan_errors": _problems(report.final_plan_problems, of_types=stopped == "final plan: wrong type"),
        "final_actions": report.final_actions,
        "action_changed": report.action_changed,
        "final_compatible_errors": _problems(report.final_problems, of_types=False),
        "unknown_after_apply": sorted(map(formatted_path, report.unknown_after_apply)) or None,
        "apply_errors": _problems(report.apply_problems, of_types=stopped == "apply: wrong type"),
        "new_state": _attributes(report.new_state, schema),
        "stopped": stopped,
    }
    lists = {name: list(item) if isinstance(item, tuple) else item for name, item in output.items()}
    return {name: item for name, item in lists.items() if item is not None}


def _problems(found: Iterable[ValueProblem] | None, *, of_types: bool) -> list[dict[str, Any]] | None:
    if found is None:
        return None
    return list(map(encode_type_problem if of_types else encode_problem, found))


def _attributes(value: CtyValue | None, schema: SchemaBlock) -> Any:
    if value is None:
        return None
    return json.loads(write_value(value, implied_type(schema)), parse_float=Decimal)


ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "lifecycle": _lifecycle,
    "normalize_legacy": _result(lambda schema, given: normalize_legacy(schema, given["value"])),
    "planned_unknown": _result(lambda schema, given: planned_unknown(schema, given["config"])),
    "proposed_new": _result(lambda schema, given: proposed_new(schema, given["prior"], given["config"])),
}
