r"""The plan was made for another state

## What it does
Reports, with `--plan` and a state, each object that the plan starts from and that differs in the state: it exists in
one of them only, it is tainted in one of them only, or its attributes before refreshing were others. If the two have no
object in common, the plan as a whole is reported. So are outputs whose old value in the plan is not that of the state.

The JSON form of a plan has neither the lineage nor the serial of its state, so the content decides. Data sources and
deposed objects are not compared by value, nor are objects whose provider schema has changed since.

## Why is this bad?
Somebody applied another plan, or edited the state, after this plan was made. What a review has seen is not what would
happen now. OpenTofu refuses a stale plan file too, but only when it is applied, and only by serial and lineage.

## Example
```json
{"resource_changes": [{"address": "aws_vpc.main", "change": {"actions": ["update"],
  "before": {"id": "vpc-0001", "cidr_block": "10.0.0.0/16"}}}]}
```

## What to do
Make a new plan: `tofu plan -out=PLANFILE`, then `tofu show -json PLANFILE`. If the state at hand is not the current
one, name the current one: `tofu state pull | statetool check --plan plan.json -`.
"""

from collections.abc import Iterable
from typing import Final

from statefmt.analysis.plans import PriorDifference, PriorKind, changed_outputs
from statefmt.analysis.plans.values import paths_text
from statefmt.formats.raw_json import token
from statefmt.lint.plan_subject import PlanSubject
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding

_SUMMARY: Final = "Plan was made for another state"
_FIX: Final = (
    "Make a new plan (`tofu plan -out=PLANFILE`), or name the state that this one was made for, such as the output of "
    "`tofu state pull`."
)
_MOST: Final = 5


def _check_plan(subject: PlanSubject) -> Iterable[Finding]:
    if subject.prior is None or subject.snapshot is None:
        return
    if not subject.prior.any_in_common:
        detail = "The plan and the state have no object in common."
        yield Code.PLAN_STALE.finding(_SUMMARY, detail, pointer="/prior_state", fix=_FIX)
        return
    for difference in subject.prior.differences:
        yield Code.PLAN_STALE.finding(
            _SUMMARY, _detail(difference), difference.address, difference.pointer or "/prior_state", _FIX
        )
    for name in changed_outputs(subject.plan, subject.snapshot):
        detail = f"The value of the output {name} before the plan is not that in the state."
        yield Code.PLAN_STALE.finding(_SUMMARY, detail, f"output.{name}", f"/output_changes/{token(name)}/before", _FIX)


def _detail(difference: PriorDifference) -> str:
    name = difference.address
    if difference.deposed:
        name += f"'s deposed object {difference.deposed}"
    match difference.kind:
        case PriorKind.ONLY_IN_STATE:
            return f"The state has {name}, which the plan does not know."
        case PriorKind.ONLY_IN_PLAN:
            return f"The plan starts from {name}, which the state does not have."
        case PriorKind.ADDRESS:
            return f"The plan moves an object to {name}, but in the state it is there already."
        case PriorKind.STATUS:
            return f"{name} is tainted either in the plan or in the state, but not in both."
        case PriorKind.VALUES:
            paths = paths_text(difference.values, _MOST)
            return f"The attributes of {name} in the state are not those that the plan starts from: {paths}."


RULE = Rule(Code.PLAN_STALE, check_plan=_check_plan)
