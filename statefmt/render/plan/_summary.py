"""Summarises a plan in one line, and says what is wrong with it as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.analysis.plans import changes_nothing, open_checks, plan_counts, unknown_members
from statefmt.analysis.plans.values import drift_details
from statefmt.lifecycle.plan import Action, PlannedChange, ShownPlan
from statefmt.render.counted import counted


def summary(plan: ShownPlan) -> str:
    """Return `No changes.`, or `Plan: 3 to add, 1 to change, 2 to destroy.` with everything else that it does."""
    return "No changes." if changes_nothing(plan) else f"Plan: {counts(plan)}."


def counts(plan: ShownPlan) -> str:
    """Return `3 to add, 1 to change, 2 to destroy`, with moves, reads, actions, outputs, drift and checks if any."""
    outputs = sum(change.action is not Action.NO_OP for change in plan.output_changes.values())
    every = sum(change.action is not Action.NO_OP for change in plan.resource_drift)
    forms = sum(map(_is_form, plan.resource_drift))
    drift = every - forms
    moved = sum(change.previous_address is not None for change in plan.resource_drift)
    deferred = len(plan.deferred_changes) + len(plan.deferred_action_invocations)
    failed = sum(check.failed for check in open_checks(plan))
    unknown = len(open_checks(plan)) - failed
    # A plan that only refreshes has its moves in the drift.
    moved = 0 if plan.resource_changes else moved
    more = [
        f"{counted(moved, 'object')} moved" if moved else "",
        f"{counted(len(plan.action_invocations), 'action')} to invoke" if plan.action_invocations else "",
        f"{counted(outputs, 'output')} to change" if outputs else "",
        f"{counted(drift, 'object')} changed outside" if drift else "",
        f"{counted(forms, 'object')} different only in form" if forms else "",
        f"{counted(deferred, 'change')} deferred" if deferred else "",
        f"{counted(failed, 'check')} failed" if failed else "",
        f"{counted(unknown, 'check')} not known before the apply" if unknown else "",
    ]
    return "; ".join(filter(None, [str(plan_counts(plan)), *more]))


def _is_form(change: PlannedChange) -> bool:
    """Return whether an object differs only in form from that of the last apply."""
    if change.action is not Action.UPDATE:
        return False
    try:
        return not drift_details(change.change, (), show_sensitive=True).is_drift
    except ValueError:
        # Nested too deeply.
        return False


def remarks(plan: ShownPlan) -> Iterator[str]:
    """Yield what the reader must know before the changes."""
    if plan.errored:
        yield "Planning failed: this plan is not complete and cannot be applied."
    elif plan.complete is False:
        yield "This plan is not complete: after applying it, another one is needed."
    if unknown := unknown_members(plan):
        yield f"This plan has members that this version does not know, and does not show: {', '.join(unknown)}."
