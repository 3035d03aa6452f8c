r"""Attributes differ only in form

## What it does
Reports, with `--plan`, the attributes that refreshing found in another form with the same meaning: JSON in a string
with other white space or another order of members, null in place of an empty string, list or map, or the other way
round, a number that is written in another way; and, with `--schemas`, the elements of a set in another order.

## Why is this bad?
It is not: nobody changed anything. Providers of the old SDK cannot tell null from empty, and some services write JSON
anew. The attributes are named so that they can be compared with what the service shows.

## Example
```json
{"resource_drift": [{"address": "aws_iam_policy.main", "change": {"actions": ["update"],
  "before": {"policy": "{\"a\":1}"}, "after": {"policy": "{ \"a\": 1 }"}}}]}
```

## What to do
Nothing. `tofu apply -refresh-only` records the new form in the state.
"""

from collections.abc import Iterable
from typing import Final

from statefmt.lint.plan_subject import PlanSubject, object_name
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding

_MOST: Final = 5


def _check_plan(subject: PlanSubject) -> Iterable[Finding]:
    found = [
        f"{object_name(change)}: {path}"
        for change, details in subject.drift
        if details is not None
        for path in details.in_form
    ]
    if found:
        number = "1 attribute differs" if len(found) == 1 else f"{len(found):,} attributes differ"
        more = f" and {len(found) - _MOST:,} more" if len(found) > _MOST else ""
        yield Code.PLAN_DRIFT_IN_FORM.finding(
            "Attributes differ only in form",
            f"{number} only in form: {', '.join(found[:_MOST])}{more}.",
            pointer="/resource_drift",
            fix="Nothing to do: `tofu apply -refresh-only` records the new form.",
        )


RULE = Rule(Code.PLAN_DRIFT_IN_FORM, check_plan=_check_plan)
