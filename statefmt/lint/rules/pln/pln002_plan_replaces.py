r"""The plan replaces an object

## What it does
Reports, with `--plan`, each object that the plan replaces, with the attributes that force it, or another reason: the
object is tainted, the replacement was requested with `-replace`, or `replace_triggered_by` asks for it.

## Why is this bad?
The object is destroyed, with its data, and another one gets its address. In a long plan, the line that says so is easy
to overlook, so this is a warning for a gate to stop at.

## Example
```hcl
resource "aws_instance" "web" {
  availability_zone = "eu-west-1b" # was: "eu-west-1a", which cannot be changed in place
}
```

## What to do
If the replacement is intended, ignore the rule at this address (`per-address-ignores`), or apply with a baseline that
has the finding. Otherwise undo the change of the attribute, or add it to `ignore_changes` of the resource. A tainted
object that is in order again needs `statetool untaint`. If the resource was only renamed, add a `moved` block.
"""

from collections.abc import Iterable

from statefmt.analysis.plans.values import reason_text, replacing_paths
from statefmt.lifecycle.plan import PlannedChange
from statefmt.lint.plan_subject import PlanSubject, change_pointer, object_name
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding, Fix


def _check_plan(subject: PlanSubject) -> Iterable[Finding]:
    for change in subject.plan.resource_changes:
        if change.action.replaces and change.action.destroys:
            yield _finding(subject, change)


def _finding(subject: PlanSubject, change: PlannedChange) -> Finding:
    reason = reason_text(change)
    paths = replacing_paths(change.change)
    if change.reason == "replace_because_tainted":
        fix = Fix.of("If the object is in order: ", subject.command("untaint", str(change.address_before)), ".")
    elif paths:
        fix = Fix.of(f"To keep the object, undo the change of {' and '.join(paths)}, or name it in ignore_changes.")
    else:
        fix = Fix.of("To keep the object, make a new plan without what asks for the replacement.")
    return Code.PLAN_REPLACES.finding(
        "Plan replaces an object",
        f"The plan destroys {object_name(change)} and creates another object in its place"
        f"{f', because {reason}' if reason else ''}.",
        str(change.address),
        change_pointer(change, "replace_paths" if paths else "actions"),
        fix,
    )


RULE = Rule(Code.PLAN_REPLACES, check_plan=_check_plan)
