"""Rules about plans that providers may not make, and about an apply compared with its plan (LIF).

`verify` creates the findings about an apply.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from statefmt.lint.plan_subject import PlanSubject
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _invalid(subject: PlanSubject) -> Iterable[Finding]:
    return [finding for finding in subject.planned if finding.code == Code.INVALID_PLAN]


def _tolerated(subject: PlanSubject) -> Iterable[Finding]:
    return [finding for finding in subject.planned if finding.code == Code.INVALID_PLAN_TOLERATED]


RULES: Final = (
    Rule(
        Code.CHANGE_NOT_MADE,
        page="""A planned change was not made

## What it does
Reports, in `verify`, each change of a plan after which the object is missing, or the same as before: nothing was
created, updated, replaced, imported or read.

## Why is this bad?
The apply failed or was stopped before it came to this change, or it was an apply of another plan. The real object may
exist all the same, if the apply was stopped between creating it and writing the state.

## Example
```json
{"address": "aws_instance.web", "change": {"actions": ["create"]}}
```

## What to do
Look at the output of the apply for its errors. If the real object exists, import it; then make a new plan, which has
what is left to do.
""",
    ),
    Rule(
        Code.INSTANCE_LOST,
        page="""An object is gone that the plan keeps

## What it does
Reports, in `verify`, each object that the state before had and the plan keeps (unchanged, or only updated), and that
the state after no longer has.

## Why is this bad?
OpenTofu has forgotten a real object: nobody manages it any more, and the next plan creates it a second time.
Something other than the apply has edited the state, or it is not the state after this apply.

## Example
```json
{"address": "aws_instance.web", "change": {"actions": ["no-op"]}}
```

## What to do
Compare the two states with `statetool diff BEFORE AFTER`. If the object is really lost, restore it from the state
before, or import it.
""",
    ),
    Rule(
        Code.OBJECT_KEPT,
        page="""An object is left that the plan destroys or forgets

## What it does
Reports, in `verify`, each object that the plan destroys or forgets, or that it found to be gone already, and that the
state after the apply still has.

## Why is this bad?
The destroy failed or was not reached: the real object still runs and costs money. If it was destroyed outside, the
next refresh drops it.

## Example
```json
{"address": "aws_instance.old", "change": {"actions": ["delete"]}}
```

## What to do
Look at the output of the apply for its errors, and make a new plan: it destroys what is left.
""",
    ),
    Rule(
        Code.MOVE_NOT_MADE,
        page="""A planned move was not made

## What it does
Reports, in `verify`, each object that the plan moves to another address and that is still at its old one, or at both.

## Why is this bad?
The next plan finds an object without a block at the old address, and may want to destroy it, and to create the one at
the new address.

## Example
```json
{"address": "aws_instance.new", "previous_address": "aws_instance.old"}
```

## What to do
Make a new plan with the same `moved` block, or move the object with `statetool mv`.
""",
    ),
    Rule(
        Code.DEPOSED_KEPT,
        page="""A deposed object is left after the apply

## What it does
Reports, in `verify`, each deposed object that the plan destroys and that is still in the state, and each new one: an
object that was replaced with `create_before_destroy` and not destroyed afterwards.

## Why is this bad?
The old object still runs beside the new one. The next apply destroys it, although nothing in the configuration
mentions it.

## Example
```json
{"deposed": "00c0ffee", "attributes": {"id": "i-0f3a"}}
```

## What to do
Let the next apply destroy it. If the real object is already gone, run `statetool forget-deposed ADDRESS`.
""",
    ),
    Rule(
        Code.VALUE_NOT_AS_PLANNED,
        page="""A value differs from the planned one

## What it does
Reports, in `verify`, each value of a created, updated, replaced or read object that differs from what the plan says.
Values that the plan does not know may be anything that their type in --schemas admits; numbers are compared by value,
and elements of sets in any order.
Without `--schemas`, elements of a list that may be a set are compared in any order, too, and null is the same as no
member.

## Why is this bad?
OpenTofu promises to do what the plan says, and stops with "Provider produced inconsistent result after apply" if a
provider does something else. It is not so strict with providers of the old SDK ([LIF017](LIF017.md)). A difference
means that the provider broke the promise, that another plan was applied, or that the state was edited since.

## Example
```json
{"planned": {"size": 20}, "in the state": {"size": 10}}
```

## What to do
Make a new plan: if it wants to change the value back, the apply did not do it. If the provider always answers with
another value, that is an error of the provider.
""",
    ),
    Rule(
        Code.VALUE_LEFT_UNKNOWN,
        page="""A value is unknown or missing after the apply

## What it does
Reports, in `verify`, each attribute that the plan leaves open until apply and that the state does not have, or that
has the placeholder by which old providers stand for an unknown value.

## Why is this bad?
After an apply everything is known; OpenTofu refuses anything else with "Provider returned invalid result object after
apply", and saves null. A placeholder in a state is taken for a real value by everything that depends on it.

## Example
```json
{"id": "74D93920-ED26-11E3-AC10-0800200C9A66"}
```

## What to do
Refresh the object (`tofu apply -refresh-only`), which reads the value from the provider.
""",
    ),
    Rule(
        Code.LEFT_TAINTED,
        page="""An object is tainted after the apply

## What it does
Reports, in `verify`, each object that the apply created, updated or replaced and that is tainted, and each that the
plan leaves alone and that has become tainted.

## Why is this bad?
Creating the object or running its provisioners failed half-way. The next plan replaces it.

## Example
```json
{"status": "tainted", "attributes": {"id": "i-0f3a"}}
```

## What to do
Mend the reason, and apply again. If the object is complete, run `statetool untaint ADDRESS`.
""",
    ),
    Rule(
        Code.SENSITIVITY_NOT_AS_PLANNED,
        page="""A value is not as sensitive as planned

## What it does
Reports, in `verify`, each value of an object that the plan says is sensitive and the state does not mark so, or the
other way round. What the schema of the provider makes sensitive need not be marked; without `--schemas`, only marks
that the plan does not have are reported, except for built-in resources.

## Why is this bad?
A value that lost its mark is shown in plans and outputs from now on.

## Example
```json
{"after_sensitive": {"password": true}, "sensitive_attributes": []}
```

## What to do
Make a new plan: it marks the value again. Find out who edited the state.
""",
    ),
    Rule(
        Code.PROVIDER_NOT_AS_PLANNED,
        page=r"""A resource is bound to another provider than planned

## What it does
Reports, in `verify`, each resource whose provider in the state has another source than in the plan, or is another
configuration than the one that the configuration in the plan names. A resource that the plan leaves alone may also
have kept its provider.

## Why is this bad?
The next plan works with this object through another account, region or even another provider, and may not find it
there.

## Example
```json
{"provider": "provider[\"registry.opentofu.org/hashicorp/aws\"].west"}
```

## What to do
Bind the resource to its provider with `statetool rebind`.
""",
    ),
    Rule(
        Code.CHANGED_WITHOUT_PLAN,
        page="""An object has changed that the plan leaves alone

## What it does
Reports, in `verify`, each value of an object that is not as the plan found it, though the plan does not change the
object, or does not mention it.

## Why is this bad?
Something other than this apply has changed the state: another apply in between, an edit, or a refresh that found a
change.

## Example
```json
{"address": "aws_instance.web", "change": {"actions": ["no-op"]}}
```

## What to do
Compare the two states with `statetool diff BEFORE AFTER`, and look at their serials: if they are more than a few
apart, there were other runs in between.
""",
    ),
    Rule(
        Code.ADDED_WITHOUT_PLAN,
        page="""An object is new that the plan does not mention

## What it does
Reports, in `verify`, each object of the state after the apply that neither the plan nor the state before has.

## Why is this bad?
An import, another apply or an edit came in between, or the plan is not the one that was applied.

## Example
```json
{"mode": "managed", "type": "aws_instance", "name": "extra"}
```

## What to do
Find out where the object comes from (`statetool history` has the edits that statetool made). If it should not be
managed here, run `statetool rm ADDRESS`.
""",
    ),
    Rule(
        Code.OUTPUT_NOT_AS_PLANNED,
        page="""An output is not as planned

## What it does
Reports, in `verify`, each output whose value or sensitivity differs from the plan, that is missing, or that the plan
removes or does not mention.

## Why is this bad?
Other configurations read outputs with `terraform_remote_state`, and scripts with `tofu output`: they go on with a
value that nobody planned.

## Example
```json
{"output_changes": {"url": {"after": "https://new"}}, "in the state": "https://old"}
```

## What to do
Make a new plan: it shows what is left to change.
""",
    ),
    Rule(
        Code.LINEAGE_CHANGED,
        page="""The lineage has changed

## What it does
Reports, in `verify`, a state after the apply that has another lineage than the state before.

## Why is this bad?
Lineages tell states from each other. These two are not versions of one state, so that all other findings may only say
that the states do not belong together.

## Example
```json
{"lineage": "3c471a05-73d8-5577-a84c-f5fbe3891ace"}
```

## What to do
Pass the right states. If the lineage was changed on purpose, ignore the finding.
""",
    ),
    Rule(
        Code.SERIAL_NOT_RAISED,
        page="""The serial was not raised

## What it does
Reports, in `verify`, a state after the apply with a lower serial than the state before, or with the same one although
the plan changes something.

## Why is this bad?
Each write of a state raises its serial. A state that changed and kept its serial was written by something else, and
backends cannot tell the two versions apart.

## Example
```json
{"serial": 4}
```

## What to do
Check that `--before` and `--after` are in the right order. If they are, raise the serial with `statetool set-serial`.
""",
    ),
    Rule(
        Code.OTHER_STATE_PLANNED,
        page="""The plan was made for another state

## What it does
Reports, in `verify`, each managed object of the state before that is not as the plan says it was, that the plan does
not know, or that is missing. What the plan found to have changed outside (drift) and moves are taken into account;
data sources and objects of an older schema version are not compared.

## Why is this bad?
The states and the plan do not belong together, so that other findings may be wrong. OpenTofu refuses to apply a plan
to another version of the state.

## Example
```json
{"prior_state": {"values": {"size": 10}}, "in the state": {"size": 12}}
```

## What to do
Pass the state that the plan was made for: `statetool history`, backups and the versions of the bucket have older
ones. If there was a state, give it with `--before`.
""",
    ),
    Rule(
        Code.TOLERATED_FOR_LEGACY,
        page="""A value differs from the planned one, as old providers may

## What it does
Reports, in `verify`, differences as in [LIF006](LIF006.md), of objects whose provider was written with the old SDK.
Such objects are recognised by the private data that the SDK stores with them. With `--strict` they are errors. What
differs only in form is [LIF020](LIF020.md).

## Why is this bad?
OpenTofu tolerates wrong results of such providers ("legacy plugin SDK") and only writes a line to its log. Most of
these differences are harmless, but the next plan may want to change the value again and again.

## Example
```json
{"planned": {"description": "Web"}, "in the state": {"description": "web"}}
```

## What to do
Usually nothing. If each plan shows the same change, write the value into the configuration as the provider returns
it.
""",
    ),
    Rule(
        Code.CHANGE_LOOKS_THE_SAME,
        page="""A changed object has all values of the old one

## What it does
Reports, in `verify`, each object that the plan replaces and that has exactly the values of the old one afterwards,
even those that were unknown before the apply. If one of these is a random UUID, the finding is [LIF001](LIF001.md)
instead. An update that left the object as it was is reported as information: OpenTofu may find, once everything is
known, that there is nothing to update.

## Why is this bad?
Either the new object has the same name and values as the old one, or the change was not made.

## Example
```json
{"change": {"actions": ["delete", "create"], "after_unknown": {"id": true}}}
```

## What to do
Look at the output of the apply, or at the creation time of the real object.
""",
    ),
    Rule(
        Code.PROVIDER_INSTANCE_CHANGED,
        page=r"""An object is bound to another provider instance than before

## What it does
Reports, in `verify`, each object whose instance of a provider configuration with `for_each` is another than in the
state before.

## Why is this bad?
The JSON form of a plan does not say which provider instance an object gets, so that nothing can be compared with it.
If the configuration did not change, neither should the instance: the next plan would look for the object in another
region or account.

## Example
```json
{"provider": "provider[\"registry.opentofu.org/hashicorp/aws\"].by_region[\"eu\"]"}
```

## What to do
Check that the configuration says so: `statetool check --config DIR AFTER` compares the two. If it does not, run
`statetool rebind`.
""",
    ),
    Rule(
        Code.CHANGED_IN_FORM,
        page="""A value changed only in form

## What it does
Reports, in `verify`, the values of an object that the plan leaves alone whose form differs from what the plan found,
and whose meaning is the same: JSON in a string with other white space or another order of members and, for providers of
the old SDK, null in place of an empty string, list or map, or the other way round. For these providers it also reports
values of changed objects that differ so from the planned ones.

## Why is this bad?
It is not: nobody changed anything. A change of the value itself is [LIF011](LIF011.md).

## Example
```json
{"planned": "{\\"a\\":1}", "in the state": "{ \\"a\\": 1 }"}
```

## What to do
Nothing.
""",
    ),
    Rule(
        Code.INVALID_PLAN,
        check_plan=_invalid,
        page="""A planned value is neither the configured nor the prior one

## What it does
Reports, with `--plan` and `--config`, each planned value that the rules for providers do not allow. An attribute that
the configuration sets must be planned as configured, or keep its prior value. An attribute that it does not set is
null, unless the schema computes it: then any value is allowed, known or unknown. The number and the keys of nested
blocks and attributes must be those of the configuration. A value must have its type in the schema, and an object with
the action `no-op` must not change.

The configuration is evaluated with the variables of the plan. Values that it does not determine alone are not compared:
references to other resources, the workspace, files and paths of a machine, random values. What `ignore_changes` names
must keep its prior value. The schemas come from `--schemas`; without it, only built-in types, such as `terraform_data`,
are compared.

## Why is this bad?
The apply would do something that nobody wrote. OpenTofu refuses such a plan of a provider with "Provider produced
invalid plan", so the plan was edited, was made from another configuration, or comes from a release that does not check
it.

## Example
```json
{"configuration": {"size": 20}, "before": {"size": 10}, "after": {"size": 30}}
```

## What to do
If the configuration or its variables changed after the plan was made, make a new plan. If the new plan has the finding
too, report it to the maintainers of the provider. Never apply a plan that somebody edited.
""",
    ),
    Rule(
        Code.INVALID_PLAN_TOLERATED,
        check_plan=_tolerated,
        page="""A planned value breaks the rules, as old providers may

## What it does
Reports, with `--plan` and `--config`, values as in [LIF021](LIF021.md) in objects of a provider that was written with
the old SDK, one finding for each object. Objects in the state are recognised by their private data, others by the form
of their schema. Differences that the old SDK cannot express are left out: an empty string, list or map, zero or false
in place of null, and other white space in a string that holds JSON.

## Why is this bad?
OpenTofu tolerates such plans ("legacy plugin SDK"), and only writes a warning to its log. They may cause confusing
errors in what depends on the object.

## Example
```json
{"configuration": {"policy": "private"}, "before": null, "after": {"policy": "public"}}
```

## What to do
Check that the planned values are what you want. If not, report it to the maintainers of the provider.
""",
    ),
)
