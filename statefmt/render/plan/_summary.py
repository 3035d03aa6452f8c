"""Summarises a plan in one line, and says what is wrong with it as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.analysis.plans.summary import is_shown, plan_counts
from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.plans.plan import ShownPlan
from statefmt.render.counted import counted


def summary(plan: ShownPlan) -> str:
    """Return `3 to add, 1 to change, 2 to destroy`, with moves, reads, outputs and drift if there are any."""
    outputs = sum(change.action is not Action.NO_OP for change in plan.output_changes.values())
    drift = sum(change.action is not Action.NO_OP for change in plan.resource_drift)
    more = [
        f"{counted(outputs, 'output')} to change" if outputs else "",
        f"{counted(drift, 'object')} changed outside" if drift else "",
    ]
    return "; ".join(filter(None, [str(plan_counts(plan)), *more]))


def no_changes(plan: ShownPlan) -> str:
    """Return a sentence if the plan changes nothing; "" otherwise."""
    changes = any(map(is_shown, plan.resource_changes)) or plan.deferred_changes
    outputs = any(change.action is not Action.NO_OP for change in plan.output_changes.values())
    drift = any(
        change.action is not Action.NO_OP or change.previous_address is not None for change in plan.resource_drift
    )
    return "" if changes or outputs or drift or plan.errored else "No changes."


def remarks(plan: ShownPlan) -> Iterator[str]:
    """Yield what the reader must know before the changes."""
    if plan.errored:
        yield "Planning failed: this plan is not complete and cannot be applied."
    elif plan.complete is False:
        yield "This plan is not complete: after applying it, another one is needed."
