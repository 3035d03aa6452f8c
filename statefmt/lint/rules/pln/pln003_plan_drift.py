r"""An object changed outside of OpenTofu

## What it does
Reports, with `--plan`, each object that refreshing found changed or deleted since the last apply (`resource_drift`),
with the attributes that differ. Objects that only moved are not reported. Nor are attributes that differ only in form
([PLN009](PLN009.md)).

## Why is this bad?
Somebody changed the object by other means, and the plan may undo that, or destroy and create what somebody deleted on
purpose. Nobody reviewed the change as code.

## Example
```json
{"resource_drift": [{"address": "aws_vpc.main", "change": {"actions": ["update"],
  "before": {"tags": {"Owner": "shop"}}, "after": {"tags": {"Owner": "web"}}}}]}
```

## What to do
Find out who changed the object. To keep the change, write it into the configuration, so that the next plan has nothing
to do there. To undo it, apply the plan. `tofu apply -refresh-only` only records it in the state.
"""

from collections.abc import Iterable
from typing import Final

from statefmt.analysis.plans.values import DriftDetails, paths_text
from statefmt.lifecycle.plan import Action, PlannedChange
from statefmt.lint.plan_subject import PlanSubject, object_name
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding

_MOST: Final = 5


def _check_plan(subject: PlanSubject) -> Iterable[Finding]:
    for change, details in subject.drift:
        if details is None or details.is_drift:
            yield _finding(change, details)


def _finding(change: PlannedChange, details: DriftDetails | None) -> Finding:
    if change.action is Action.DELETE:
        detail = f"{object_name(change)} was deleted outside of OpenTofu."
        fix = "To have it again, apply the plan. Otherwise remove its block, or forget it with a removed block."
    else:
        where = f" at {paths_text(details.changes, _MOST)}" if details is not None and details.changes else ""
        detail = f"{object_name(change)} changed outside of OpenTofu{where}."
        fix = "To keep the change, write it into the configuration; to undo it, apply the plan."
    return Code.PLAN_DRIFT.finding(
        "Object changed outside of OpenTofu",
        detail,
        str(change.address),
        f"/resource_drift/{change.number}/change/actions",
        fix,
    )


RULE = Rule(Code.PLAN_DRIFT, check_plan=_check_plan)
