"""Answers plan_json_value, plan_change, encode_paths and plan_action."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from statefmt.lifecycle.plan_files._shown_values import encode_replace_paths
from statefmt.lifecycle.schema import implied_type
from statefmt.model.cty import CtyValueError
from statefmt.model.cty.parts import is_wholly_known
from tests.lifecycle.opentofu.parts import null
from tests.lifecycle.opentofu.plan_action import plan_action
from tests.lifecycle.opentofu.plan_json import plan_change, plan_json_value
from tests.lifecycle.values import decode, dump, path_of, schema_of

Case = dict[str, Any]

_OPTIONS: Final = ("replace_requested", "tainted", "create_before_destroy", "skip_destroy")


def _plan_json_value(case: Case) -> Case:
    value = decode(case["value"])
    assert value is not None
    shown = plan_json_value(value)
    return {
        "wholly_known": is_wholly_known(value),
        "after_unknown": shown.unknown,
        "after_sensitive": shown.sensitive,
        **_json("after", shown.json),
    }


def _plan_change(case: Case) -> Case:
    schema = schema_of(case)
    before, after = (decode(case[name]) or null(implied_type(schema)) for name in ("before", "after"))
    try:
        shown = plan_change(schema, before, after)
    except CtyValueError as error:
        return {"error": str(error)}
    return {
        "before_sensitive": shown.before.sensitive,
        "after_unknown": shown.after.unknown,
        "after_sensitive": shown.after.sensitive,
        **_json("before", shown.before.json),
        **_json("after", shown.after.json),
    }


def _encode_paths(case: Case) -> Case:
    return {"replace_paths": _loads(encode_replace_paths(map(path_of, case["paths"] or ())))}


def _plan_action(case: Case) -> Case:
    schema = schema_of(case)
    prior, planned = (decode(case[name]) or null(implied_type(schema)) for name in ("prior", "planned"))
    options = {name: case[name] for name in _OPTIONS}
    try:
        chosen = plan_action(
            schema, prior, planned, requires_replace=map(path_of, case["requires_replace"] or ()), **options
        )
    except CtyValueError as error:
        return {"error": str(error)}
    if chosen.missing_paths:
        return {"diagnostics": ["Provider produced invalid plan"] * len(chosen.missing_paths)}
    # The recorded paths are sorted.
    paths = sorted(_loads(encode_replace_paths(chosen.replace_paths)), key=dump)
    return {"actions": list(chosen.actions), "action_reason": chosen.reason, "replace_paths": paths}


def _json(name: str, raw: bytes | None) -> Case:
    return {} if raw is None else {name: _loads(raw)}


def _loads(raw: bytes) -> Any:
    return json.loads(raw, parse_float=Decimal)


ANSWERS: Final[Mapping[str, Callable[[Case], Case]]] = {
    "plan_json_value": _plan_json_value,
    "plan_change": _plan_change,
    "encode_paths": _encode_paths,
    "plan_action": _plan_action,
}
