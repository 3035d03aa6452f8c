""" "No changes" is said only of plans without any effect; a real Terraform decides which ones those are."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import given, strategies

from statefmt.analysis.plans import changes_nothing
from statefmt.lifecycle.read_plan import read_plan
from tests.analysis.plans.documents import change
from tests.lifecycle.every_member import BARE, PLAN
from tests.lifecycle.plans import recorded_plans
from tests.tables import each_row

_PLANS: Final = {
    name: json.loads(files["plan.json"]) for name, files in recorded_plans().items() if "plan.json" in files
}
# Each has an effect, or says that the plan may have one.
_EFFECTS: Final[list[tuple[str, Any]]] = [
    *(("resource_changes", each) for each in PLAN["resource_changes"]),
    *(("resource_drift", each) for each in PLAN["resource_drift"]),
    *(("action_invocations", each) for each in PLAN["action_invocations"]),
    *(("deferred_changes", each) for each in PLAN["deferred_changes"]),
    *(("deferred_action_invocations", each) for each in PLAN["deferred_action_invocations"]),
    *(("checks", each) for each in PLAN["checks"]),
    ("output_changes", PLAN["output_changes"]["o"]),
    ("resource_changes", change("aws_vpc.a", "no-op", novel=1)),
    ("errored", True),
    ("complete", False),
    ("applyable", True),
    ("novel", "x"),
]
# None has an effect.
_IDLE: Final[list[tuple[str, Any]]] = [
    ("resource_changes", change("aws_vpc.a", "no-op")),
    ("resource_changes", change("aws_vpc.a", "open")),
    ("resource_drift", change("aws_vpc.a", "no-op")),
    ("output_changes", PLAN["output_changes"]["s"]),
    ("checks", {"address": {"to_display": "check.a"}, "status": "pass"}),
    ("relevant_attributes", PLAN["relevant_attributes"][0]),
    ("configuration", PLAN["configuration"]),
    ("prior_state", PLAN["prior_state"]),
    ("planned_values", PLAN["planned_values"]),
    ("novel", None),
]


def _changes_nothing(document: Any) -> bool:
    return changes_nothing(read_plan(json.dumps(document).encode()))


@each_row("name", _PLANS)
def test_as_terraform_decides(name: str) -> None:
    """Terraform writes `applyable`, which is not read here."""
    document = {member: value for member, value in _PLANS[name].items() if member != "applyable"}
    # A plan that only refreshes and finds a move says so, and a failed one has unknown changes.
    is_other = document["errored"] or "refresh-only" in name
    assert _changes_nothing(document) == (not _PLANS[name]["applyable"] and not is_other)


def test_both_are_recorded() -> None:
    assert {document["applyable"] for document in _PLANS.values()} == {True, False}


@given(strategies.lists(strategies.sampled_from(_EFFECTS)), strategies.lists(strategies.sampled_from(_IDLE)))
def test_any_effect_is_one(effects: list[tuple[str, Any]], idle: list[tuple[str, Any]]) -> None:
    document: dict[str, Any] = {**BARE}
    for member, value in [*idle, *effects]:
        if member == "output_changes":
            document[member] = {**document.get(member, {}), f"o{len(document.get(member, {}))}": value}
        elif member.endswith(("_changes", "_drift", "_invocations", "_attributes")) or member == "checks":
            document[member] = [*document.get(member, []), value]
        else:
            document[member] = value
    assert _changes_nothing(document) == (not effects)
