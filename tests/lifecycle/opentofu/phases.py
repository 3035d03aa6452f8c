"""Follows an object through all steps of a plan and its apply, with what OpenTofu says at each.

Source: OpenTofu `NodeAbstractResourceInstance.plan` and `.apply`, `NodeApplyableResourceInstance.checkPlannedChange`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from statefmt.lifecycle.schema import SchemaBlock, implied_type, refuses_depth
from statefmt.lifecycle.stored import ValueProblem, conformance
from statefmt.model.cty.data import CtyValue, Path
from statefmt.model.cty.parts import is_known, steps
from tests.lifecycle.opentofu.compatible import object_compatible
from tests.lifecycle.opentofu.parts import unknown_as_null
from tests.lifecycle.opentofu.plan_action import plan_action
from tests.lifecycle.opentofu.plan_valid import plan_valid
from tests.lifecycle.opentofu.proposed_new import proposed_new

Stop: TypeAlias = Literal[
    "plan: wrong type",
    "plan",
    "final plan: wrong type",
    "final plan",
    "final plan differs",
    "apply: wrong type",
    "apply: unknown values",
    "apply",
]
_Problems: TypeAlias = tuple[ValueProblem, ...]


class ObjectPhases(Struct, frozen=True):
    """An object in all its phases, each of the type that the schema implies, or null, without marks.

    `config` and `planned` are of the plan; `config_final` and `planned_final` of the second plan, during the apply,
    when more values are known; `applied` is what the provider returned in the end. Providers with the legacy type
    system are allowed more.
    """

    prior: CtyValue
    config: CtyValue
    planned: CtyValue
    config_final: CtyValue
    planned_final: CtyValue
    applied: CtyValue
    legacy_type_system: bool = False


class LifecycleReport(Struct, frozen=True):
    """What OpenTofu says of each step, up to the one at which it stops; None for steps that it does not reach.

    `stopped` names the step whose problems are errors; None if all steps pass. Problems of a step that passes are
    tolerated, as the provider has the legacy type system. `new_state` is saved even if the apply has errors.
    """

    proposed: CtyValue
    plan_problems: _Problems
    actions: tuple[str, ...] | None = None
    final_plan_problems: _Problems | None = None
    final_actions: tuple[str, ...] | None = None
    action_changed: bool | None = None
    final_problems: _Problems | None = None
    unknown_after_apply: tuple[Path, ...] = ()
    apply_problems: _Problems | None = None
    new_state: CtyValue | None = None
    stopped: Stop | None = None


@refuses_depth
def follow_lifecycle(schema: SchemaBlock, phases: ObjectPhases) -> LifecycleReport:
    """Check every step from the proposed new object to the state, as OpenTofu would during plan and apply.

    Replacements are not considered: there is one prior object, which is created, updated or left alone. Raises
    CtyValueError for values that lack attributes of the schema or are nested too deeply.
    """
    report = _plan(schema, phases)
    for step in (_plan_again, _compare, _apply):
        if report.stopped is not None:
            return report
        report = step(schema, phases, report)
    return report


def _plan(schema: SchemaBlock, given: ObjectPhases) -> LifecycleReport:
    proposed = proposed_new(schema, given.prior, given.config)
    problems = conformance(given.planned.type, implied_type(schema))
    if problems:
        return LifecycleReport(proposed, problems, stopped="plan: wrong type")
    problems = plan_valid(schema, given.prior, given.config, given.planned)
    if problems and not given.legacy_type_system:
        return LifecycleReport(proposed, problems, stopped="plan")
    return LifecycleReport(proposed, problems, plan_action(schema, given.prior, given.planned).actions)


def _plan_again(schema: SchemaBlock, given: ObjectPhases, report: LifecycleReport) -> LifecycleReport:
    problems = conformance(given.planned_final.type, implied_type(schema))
    if problems:
        return replace(report, final_plan_problems=problems, stopped="final plan: wrong type")
    problems = plan_valid(schema, given.prior, given.config_final, given.planned_final)
    stop: Stop | None = "final plan" if problems and not given.legacy_type_system else None
    return replace(report, final_plan_problems=problems, stopped=stop)


def _compare(schema: SchemaBlock, given: ObjectPhases, report: LifecycleReport) -> LifecycleReport:
    """Compare the two plans. An update may become a no-op."""
    actions = plan_action(schema, given.prior, given.planned_final).actions
    changed = actions != report.actions and (report.actions, actions) != (("update",), ("no-op",))
    problems = object_compatible(schema, given.planned, given.planned_final)
    return replace(
        report,
        final_actions=actions,
        action_changed=changed,
        final_problems=problems,
        stopped="final plan differs" if changed or problems else None,
    )


def _apply(schema: SchemaBlock, given: ObjectPhases, report: LifecycleReport) -> LifecycleReport:
    problems = conformance(given.applied.type, implied_type(schema))
    if problems:
        return replace(report, apply_problems=problems, stopped="apply: wrong type")
    unknown = tuple(_unknown_paths(given.applied, ()))
    new = unknown_as_null(given.applied)
    if unknown:
        return replace(report, unknown_after_apply=unknown, new_state=new, stopped="apply: unknown values")
    problems = object_compatible(schema, given.planned_final, given.applied)
    stop: Stop | None = "apply" if problems and not given.legacy_type_system else None
    return replace(report, apply_problems=problems, new_state=new, stopped=stop)


def _unknown_paths(value: CtyValue, path: Path) -> Iterator[Path]:
    if not is_known(value):
        yield path
    for step, part in steps(value):
        yield from _unknown_paths(part, (*path, step))
