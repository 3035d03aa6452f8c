"""Rules about plans (PLN)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from statefmt.analysis.plans import PriorDifference, PriorKind, changed_outputs, open_checks
from statefmt.analysis.plans.members import unknown_pointers
from statefmt.analysis.plans.values import paths_text, reason_text, replacing_paths
from statefmt.formats.providers import PUBLIC_HOSTS, engine_of
from statefmt.formats.raw_json import token
from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.lifecycle.plan import Action, PlannedChange
from statefmt.lint.plan_subject import PlanSubject, change_pointer, object_name
from statefmt.lint.rule import Rule
from statefmt.lint.settings import ProtectedTags
from statefmt.model.findings import Code, Finding, Fix
from statefmt.model.snapshot import normalise_version
from statefmt.text import asterisk_test

# The maximum number of values in a finding.
_MOST: Final = 5


def _destroys_protected(subject: PlanSubject) -> Iterable[Finding]:
    settings = subject.settings.pln001
    if not settings.tags:
        return
    text = (
        "If it must stay, change the configuration so that the plan keeps it. If it must go, remove the tag "
        "and apply first."
    )
    for change in subject.plan.resource_changes:
        tag = _protecting(change, settings) if change.action.destroys else None
        if tag is None:
            continue
        how = "replaces" if change.action.replaces else "destroys"
        fix = Fix.of(text)
        if not change.deposed:
            forget = subject.command("rm", str(change.address_before))
            fix = Fix.of(f"{text} To stop managing it without destroying it: ", forget, ".")
        detail = f"The plan {how} {object_name(change)}, which has the protecting tag {tag}."
        yield Code.PLAN_DESTROYS_PROTECTED.finding(
            "Plan destroys a protected object", detail, str(change.address), change_pointer(change, "actions"), fix
        )


def _protecting(change: PlannedChange, settings: ProtectedTags) -> str | None:
    """Return the first tag in the settings that an object has; None if it has none."""
    before = None if change.change.before is None else loads_exact(bytes(change.change.before), replace_invalid=True)
    if not isinstance(before, Members):
        return None
    given = [pair for name, value in before if name in settings.attributes for pair in _tags(value)]
    for name, wanted in settings.tags.items():
        test = asterisk_test(wanted)
        if any(key == name and test(value) for key, value in given):
            return f"{name} = {wanted}"
    return None


def _tags(value: JSONValue) -> Iterator[tuple[str, str]]:
    """Yield the names and values of tags: the members of an object, or elements with `key` and `value`."""
    if isinstance(value, Members):
        # A null tag does not exist.
        yield from ((name, _text(item)) for name, item in value if item is not None)
    elif isinstance(value, list):
        for element in value:
            members = dict(element) if isinstance(element, Members) else {}
            if isinstance(name := members.get("key"), str):
                yield name, _text(members.get("value"))


def _text(value: JSONValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str) else ""


def _replaces(subject: PlanSubject) -> Iterable[Finding]:
    for change in subject.plan.resource_changes:
        if not (change.action.replaces and change.action.destroys):
            continue
        reason, paths = reason_text(change), replacing_paths(change.change)
        if change.reason == "replace_because_tainted":
            fix = Fix.of("If the object is in order: ", subject.command("untaint", str(change.address_before)), ".")
        elif paths:
            fix = Fix.of(f"To keep the object, undo the change of {' and '.join(paths)}, or name it in ignore_changes.")
        else:
            fix = Fix.of("To keep the object, make a new plan without what asks for the replacement.")
        yield Code.PLAN_REPLACES.finding(
            "Plan replaces an object",
            f"The plan destroys {object_name(change)} and creates another object in its place"
            f"{f', because {reason}' if reason else ''}.",
            str(change.address),
            change_pointer(change, "replace_paths" if paths else "actions"),
            fix,
        )


def _drift(subject: PlanSubject) -> Iterable[Finding]:
    for change, details in subject.drift:
        if details is not None and not details.is_drift:
            continue
        if change.action is Action.DELETE:
            detail = f"{object_name(change)} was deleted outside of OpenTofu."
            fix = "To have it again, apply the plan. Otherwise remove its block, or forget it with a removed block."
        else:
            where = f" at {paths_text(details.changes, _MOST)}" if details is not None and details.changes else ""
            detail = f"{object_name(change)} changed outside of OpenTofu{where}."
            fix = "To keep the change, write it into the configuration; to undo it, apply the plan."
        pointer = f"/resource_drift/{change.number}/change/actions"
        yield Code.PLAN_DRIFT.finding("Object changed outside of OpenTofu", detail, str(change.address), pointer, fix)


_STALE: Final = "Plan was made for another state"
_NEW_PLAN: Final = (
    "Make a new plan (`tofu plan -out=PLANFILE`), or name the state that this one was made for, such as the output of "
    "`tofu state pull`."
)


def _stale(subject: PlanSubject) -> Iterable[Finding]:
    if subject.prior is None or subject.snapshot is None:
        return
    if not subject.prior.any_in_common:
        detail = "The plan and the state have no object in common."
        yield Code.PLAN_STALE.finding(_STALE, detail, pointer="/prior_state", fix=_NEW_PLAN)
        return
    for difference in subject.prior.differences:
        yield Code.PLAN_STALE.finding(
            _STALE, _stale_detail(difference), difference.address, difference.pointer or "/prior_state", _NEW_PLAN
        )
    for name in changed_outputs(subject.plan, subject.snapshot):
        detail = f"The value of the output {name} before the plan is not that in the state."
        yield Code.PLAN_STALE.finding(
            _STALE, detail, f"output.{name}", f"/output_changes/{token(name)}/before", _NEW_PLAN
        )


def _stale_detail(difference: PriorDifference) -> str:
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


def _of_another_release(subject: PlanSubject) -> Iterable[Finding]:
    snapshot = subject.snapshot
    if snapshot is None:
        return
    plan_release, state_release = normalise_version(subject.plan.terraform_version), snapshot.terraform_version
    if plan_release is not None and state_release and _minor(plan_release) != _minor(state_release):
        yield Code.PLAN_OF_ANOTHER_RELEASE.finding(
            "Plan of another release",
            f"The plan was made by release {plan_release}, but the state was written by {state_release}.",
            pointer="/terraform_version",
            fix=f"Unless the change of release is intended, make the plan with release {_minor(state_release)}.",
        )
    configs = (resource.provider_config for resource in snapshot.resources)
    state = engine_of(config.provider.hostname for config in configs if config is not None)
    changes = subject.plan.resource_changes
    plan = engine_of(change.provider_name.partition("/")[0] for change in changes)
    if plan is None or state is None or plan == state:
        return
    first = next(change for change in changes if change.provider_name.partition("/")[0] in PUBLIC_HOSTS)
    yield Code.PLAN_OF_ANOTHER_RELEASE.finding(
        "Plan of another engine",
        f"The providers of the plan come from the registry of {plan}, but those of the state from that of {state}.",
        pointer=f"/resource_changes/{first.number}/provider_name",
        fix=f"Unless the change of engine is intended, make the plan with {state}.",
    )


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _failed(subject: PlanSubject) -> Iterable[Finding]:
    if subject.plan.errored:
        detail = "Planning ended with an error: the plan lacks changes, and it cannot be applied."
        fix = "Mend the error that `tofu plan` prints, and make the plan again."
        yield Code.PLAN_FAILED.finding("Plan failed", detail, pointer="/errored", fix=fix)


def _incomplete(subject: PlanSubject) -> Iterable[Finding]:
    plan = subject.plan
    left = [
        *(each.address for each in plan.deferred_changes),
        *(each.action_invocation.address for each in plan.deferred_action_invocations),
    ]
    # A failed plan has another finding.
    if left or (plan.complete is False and not plan.errored):
        what = f": {', '.join(left[:_MOST])}{' and others' if len(left) > _MOST else ''}" if left else ""
        pointer = "/deferred_changes" if plan.deferred_changes else "/deferred_action_invocations"
        yield Code.PLAN_INCOMPLETE.finding(
            "Plan is not complete",
            f"The plan leaves changes for a later plan{what}.",
            pointer=pointer if left else "/complete",
            fix="Apply the plan, then make another one and check it.",
        )
    for pointer in unknown_pointers(plan):
        detail = f"This version of statetool does not know the member {pointer}, which may have changes."
        fix = "Update statetool, or read the plan with the release that made it."
        yield Code.PLAN_INCOMPLETE.finding("Plan has an unknown member", detail, pointer=pointer, fix=fix)


def _check_failed(subject: PlanSubject) -> Iterable[Finding]:
    for check in open_checks(subject.plan):
        if check.failed:
            detail = f"{check.address or 'A check'} has the status {check.status}."
            fix = "Read its message in the output of `tofu plan`, and mend the cause."
            yield Code.PLAN_CHECK_FAILED.finding("Check fails in the plan", detail, check.address, "/checks", fix)


def _drift_in_form(subject: PlanSubject) -> Iterable[Finding]:
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


RULES: Final = (
    Rule(
        Code.PLAN_DESTROYS_PROTECTED,
        check_plan=_destroys_protected,
        page="""The plan destroys a protected object

## What it does
Reports, with `--plan`, each object that the plan destroys or replaces although it has one of the tags that
`statetool.toml` names. Tags are looked up in the attributes `tags`, `tags_all` and `labels`, in maps and in lists of
objects with `key` and `value`. Forgetting an object does not destroy it.

## Why is this bad?
`prevent_destroy` is part of a resource block, so it disappears with the block: deleting the block, or a key of its
`for_each`, destroys what it protected. A tag belongs to the object.

## Example
```hcl
resource "aws_db_instance" "main" {
  engine_version = "16" # was: "15", which forces a replacement
  tags           = { protected = "true" }
}
# statetool.toml:
#   [rules.PLN001]
#   tags = { protected = "true", env = "prod*" }
```

## What to do
If the object must stay, change the configuration so that the plan keeps it: put the block or the key back, undo the
change that forces the replacement, or add a `moved` block. To stop managing the object without destroying it, use a
`removed` block with `destroy = false`, or `statetool rm`.

If it must go, first remove the tag and apply, which also leaves a trace of the decision.
""",
    ),
    Rule(
        Code.PLAN_REPLACES,
        check_plan=_replaces,
        page="""The plan replaces an object

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
""",
    ),
    Rule(
        Code.PLAN_DRIFT,
        check_plan=_drift,
        page="""An object changed outside of OpenTofu

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
""",
    ),
    Rule(
        Code.PLAN_STALE,
        check_plan=_stale,
        page="""The plan was made for another state

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
Make a new plan: `tofu plan -out=PLANFILE`. If the state at hand is not the current one, name the current one:
`tofu state pull | statetool check --plan plan.json -`.
""",
    ),
    Rule(
        Code.PLAN_OF_ANOTHER_RELEASE,
        check_plan=_of_another_release,
        page="""The plan was made by another release than the state

## What it does
Reports, with `--plan` and a state, a plan that another minor release made than wrote the state (1.10 and 1.11), or
another engine: all providers of the plan come from one public registry, and all of the state from the other. Patch
releases (1.10.1 and 1.10.6) count as the same.

## Why is this bad?
An apply writes the state with the release of the plan. A newer one may upgrade the state so that colleagues and runners
with the older one can no longer use it, and an older one may drop what a newer one has written. After a change of
engine, the providers come from another registry.

## Example
```json
{"format_version": "1.2", "terraform_version": "1.11.4"}
```

## What to do
If the upgrade is intended, upgrade everywhere, and ignore this finding once. Otherwise make the plan with the release
of the state. `statetool check --for RELEASE` says what a release would lose, and [the guide](../guides/migrating.md)
how to go back.
""",
    ),
    Rule(
        Code.PLAN_FAILED,
        check_plan=_failed,
        page="""The plan failed

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
""",
    ),
    Rule(
        Code.PLAN_INCOMPLETE,
        check_plan=_incomplete,
        page="""The plan is not complete

## What it does
Reports, with `--plan`, a plan that leaves changes or actions for a later plan, because something is not known yet
(`complete` is false, `deferred_changes`, `deferred_action_invocations`); and the members of a plan that statetool does
not know, each kind once, which a newer release may use for changes.

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
""",
    ),
    Rule(
        Code.PLAN_CHECK_FAILED,
        check_plan=_check_failed,
        page="""A check does not pass in the plan

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
""",
    ),
    Rule(
        Code.PLAN_DRIFT_IN_FORM,
        check_plan=_drift_in_form,
        page=r"""Attributes differ only in form

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
""",
    ),
)
