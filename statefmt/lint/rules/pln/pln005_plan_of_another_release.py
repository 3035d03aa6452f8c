r"""The plan was made by another release than the state

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
"""

from collections.abc import Iterable, Iterator

from statefmt.formats.providers import PUBLIC_HOSTS, engine_of
from statefmt.lint.plan_subject import PlanSubject
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import Snapshot, normalise_version


def _check_plan(subject: PlanSubject) -> Iterable[Finding]:
    if subject.snapshot is not None:
        yield from _release(subject, subject.snapshot)
        yield from _engine(subject, subject.snapshot)


def _release(subject: PlanSubject, snapshot: Snapshot) -> Iterator[Finding]:
    plan, state = normalise_version(subject.plan.terraform_version), snapshot.terraform_version
    if plan is None or not state or _minor(plan) == _minor(state):
        return
    yield Code.PLAN_OF_ANOTHER_RELEASE.finding(
        "Plan of another release",
        f"The plan was made by release {plan}, but the state was written by {state}.",
        pointer="/terraform_version",
        fix=f"Unless the change of release is intended, make the plan with release {_minor(state)}.",
    )


def _engine(subject: PlanSubject, snapshot: Snapshot) -> Iterator[Finding]:
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


RULE = Rule(Code.PLAN_OF_ANOTHER_RELEASE, check_plan=_check_plan)
