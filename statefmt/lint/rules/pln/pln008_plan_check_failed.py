r"""A check does not pass in the plan

## What it does
Reports, with `--plan`, each condition of a resource, an output or a variable, and each `check` block, that fails in the
plan. Checks that only an apply can decide are not reported.

## Why is this bad?
A failing `check` block is only a warning of OpenTofu, so an apply goes on. Somebody wrote the check so that a person
looks before that.

## Example
```json
{"checks": [{"address": {"kind": "check", "to_display": "check.health"}, "status": "fail",
  "instances": [{"address": {"to_display": "check.health"}, "status": "fail"}]}]}
```

## What to do
Read the message of the check in the output of `tofu plan`. Mend its cause, or correct the condition.
"""

from collections.abc import Iterable

from statefmt.analysis.plans import open_checks
from statefmt.lint.plan_subject import PlanSubject
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check_plan(subject: PlanSubject) -> Iterable[Finding]:
    for check in open_checks(subject.plan):
        if check.failed:
            yield Code.PLAN_CHECK_FAILED.finding(
                "Check fails in the plan",
                f"{check.address or 'A check'} has the status {check.status}.",
                check.address,
                "/checks",
                "Read its message in the output of `tofu plan`, and mend the cause.",
            )


RULE = Rule(Code.PLAN_CHECK_FAILED, check_plan=_check_plan)
