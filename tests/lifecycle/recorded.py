"""Answers the recorded cases of OpenTofu's functions, and compares answers.

Each module of tests/lifecycle/answers/ answers some functions, in a table ANSWERS: name of the function to what takes
a case and returns its `output`.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.lifecycle.answers import changes, flatmaps, objects, plan_json, schemas, stored

Case = dict[str, Any]

FOLDER: Final = Path(__file__).parent
ANSWERS: Final[Mapping[str, Callable[[Case], Case]]] = {
    **changes.ANSWERS,
    **flatmaps.ANSWERS,
    **objects.ANSWERS,
    **plan_json.ANSWERS,
    **schemas.ANSWERS,
    **stored.ANSWERS,
}
FUNCTIONS: Final = {
    "objchange": (
        "conformance",
        "lifecycle",
        "normalize_legacy",
        "object_compatible",
        "plan_valid",
        "planned_unknown",
        "proposed_new",
        "value_compatible",
    ),
    "flatmap": ("from_flatmap", "to_flatmap"),
    "schema": (
        "coerce_value",
        "decode_state",
        "empty_unknown",
        "implied_type",
        "internal_validate",
        "strip_removed",
        "upgrade_state",
        "value_marks",
        "write_only_paths",
    ),
    "planjson": ("encode_paths", "plan_action", "plan_change", "plan_json_value"),
}


# Members of outputs and inputs that are JSON as it stands in a state or plan, not encoded values.
PLAIN: Final = frozenset(
    {
        "after", "after_sensitive", "after_unknown", "attributes", "attributes_after", "before", "before_sensitive",
        "flatmap", "new_state", "provider_request", "result_json", "schema", "sensitive_json", "state", "stripped",
    }
)  # fmt: skip


def answer(case: Case) -> Case:
    """Return the `output` of a case, a line of the data read with `parse_float=Decimal`."""
    return ANSWERS[case["fn"]](case)


def agrees(case: Case, found: Case) -> bool:
    """Return whether an answer is the recorded one: errors by path and template, sets in any order."""
    if "output_one_of" in case:
        return any("panic" in each or _comparable(each) == _comparable(found) for each in case["output_one_of"])
    recorded = case["output"]
    return "panic" in recorded or _comparable(recorded) == _comparable(found)


@cache
def cases(name: str) -> tuple[Case, ...]:
    """Return the recorded cases of a file, `objchange` or another of FUNCTIONS."""
    lines = lzma.decompress((FOLDER / f"{name}.jsonl.xz").read_bytes()).splitlines()
    return tuple(json.loads(line, parse_float=Decimal) for line in lines)


def _comparable(output: Any) -> Any:
    """Drop what does not count: messages and texts of errors, plain JSON beside values, the order of sets."""
    if isinstance(output, list):
        return [_comparable(item) for item in output]
    if not isinstance(output, dict):
        return output
    if output.keys() == {"type", "value"}:
        return {"type": output["type"], "value": _ordered(output["value"], output["type"])}
    if "template" in output and "path" in output:
        return {"path": _comparable(output["path"]), "template": output["template"]}
    kept = {
        name: item if name in PLAIN else _comparable(item) for name, item in output.items() if name != "result_json"
    }
    for name, item in kept.items():
        if name.endswith("errors") and isinstance(item, list):
            kept[name] = sorted(item, key=_text)
    return kept


def _ordered(value: Any, of: Any) -> Any:
    """Sort the elements of sets, at any depth."""
    if isinstance(value, dict) and value.get("$") == "marked":
        return {**value, "marks": sorted(value["marks"]), "value": _ordered(value["value"], of)}
    if value is None or isinstance(of, str) or (isinstance(value, dict) and "$" in value and value["$"] != "map"):
        return value
    kind, inner = of[0], of[1]
    if kind == "set":
        return sorted((_ordered(item, inner) for item in value), key=_text)
    if kind == "list":
        return [_ordered(item, inner) for item in value]
    if kind == "tuple":
        return [_ordered(item, each) for item, each in zip(value, inner, strict=True)]
    members = dict(value["entries"]) if "$" in value else value
    return {name: _ordered(item, inner if kind == "map" else inner[name]) for name, item in members.items()}


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=lambda number: str(number.normalize()))
