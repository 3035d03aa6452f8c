r"""The plan failed

## What it does
Reports, with `--plan`, a plan that OpenTofu or Terraform wrote although planning failed (`errored`).

## Why is this bad?
Such a plan has only the changes that were found before the error, so what it leaves out proves nothing. It cannot be
applied.

## Example
```json
{"format_version": "1.2", "errored": true, "resource_changes": []}
```

## What to do
Read the error in the output of `tofu plan`, mend its cause, and make the plan again.
"""

from collections.abc import Iterable

from statefmt.lint.plan_subject import PlanSubject
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check_plan(subject: PlanSubject) -> Iterable[Finding]:
    if subject.plan.errored:
        yield Code.PLAN_FAILED.finding(
            "Plan failed",
            "Planning ended with an error: the plan lacks changes, and it cannot be applied.",
            pointer="/errored",
            fix="Mend the error that `tofu plan` prints, and make the plan again.",
        )


RULE = Rule(Code.PLAN_FAILED, check_plan=_check_plan)
