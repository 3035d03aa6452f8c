r"""The plan is not complete

## What it does
Reports, with `--plan`, a plan that leaves changes or actions for a later plan, because something is not known yet
(`complete` is false, `deferred_changes`, `deferred_action_invocations`); and a plan with members that statetool does
not know, which a newer release may use for changes.

## Why is this bad?
A review of the plan, and the other rules, see only a part of what will happen. After the apply, the infrastructure is
not yet what the configuration says.

## Example
```json
{"format_version": "1.2", "complete": false, "deferred_changes": [{"reason": "provider_config_unknown",
  "resource_change": {"address": "aws_vpc.main", "change": {"actions": ["create"]}}}]}
```

## What to do
Apply the plan, then make and check another one, until a plan is complete. Of a plan of a newer release, update
statetool.
"""

from collections.abc import Iterable
from typing import Final

from statefmt.analysis.plans import unknown_members
from statefmt.formats.raw_json import token
from statefmt.lint.plan_subject import PlanSubject
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding

_MOST: Final = 5


def _check_plan(subject: PlanSubject) -> Iterable[Finding]:
    plan = subject.plan
    left = [
        *(str(each.resource_change.address) for each in plan.deferred_changes),
        *(each.action_invocation.address for each in plan.deferred_action_invocations),
    ]
    # A plan that failed is reported as such.
    if left or (plan.complete is False and not plan.errored):
        what = f": {', '.join(left[:_MOST])}{' and others' if len(left) > _MOST else ''}" if left else ""
        pointer = "/deferred_changes" if plan.deferred_changes else "/deferred_action_invocations"
        yield Code.PLAN_INCOMPLETE.finding(
            "Plan is not complete",
            f"The plan leaves changes for a later plan{what}.",
            pointer=pointer if left else "/complete",
            fix="Apply the plan, then make another one and check it.",
        )
    for name in unknown_members(plan):
        yield Code.PLAN_INCOMPLETE.finding(
            "Plan has an unknown member",
            f"This version of statetool does not know the member {name}, which may have changes.",
            pointer=f"/{token(name)}",
            fix="Update statetool, or read the plan with the release that made it.",
        )


RULE = Rule(Code.PLAN_INCOMPLETE, check_plan=_check_plan)
