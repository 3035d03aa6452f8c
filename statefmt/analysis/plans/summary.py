"""Counts the changes of a plan in OpenTofu's order and words.

Source: OpenTofu `internal/command/jsonformat/plan.go`.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.plans.plan import PlannedChange, ShownPlan
from statefmt.model.addrs import ResourceMode

# OpenTofu always names these.
_ALWAYS: Final = ("add", "change", "destroy")


class PlanCounts(NamedTuple):
    """How many objects a plan imports, adds, changes and so on. A replacement adds one and destroys one."""

    to_import: int
    add: int
    change: int
    destroy: int
    forget: int
    move: int
    read: int

    def __str__(self) -> str:
        """Return `3 to add, 1 to change, 2 to destroy, 1 to move`."""
        named = zip(("import", *self._fields[1:]), self, strict=True)
        return ", ".join(f"{number:,} to {what}" for what, number in named if number or what in _ALWAYS)


def plan_counts(plan: ShownPlan) -> PlanCounts:
    """Count the resource changes of a plan. OpenTofu counts neither moves nor reads."""
    changes = [each for each in plan.resource_changes if is_shown(each)]
    actions = Counter(each.action for each in changes)
    return PlanCounts(
        to_import=sum(each.change.importing is not None for each in changes),
        add=sum(number for action, number in actions.items() if action.creates),
        change=actions[Action.UPDATE],
        destroy=sum(number for action, number in actions.items() if action.destroys),
        forget=sum(number for action, number in actions.items() if action.removes and not action.destroys),
        move=sum(each.previous_address is not None for each in changes),
        read=actions[Action.READ],
    )


def is_shown(change: PlannedChange) -> bool:
    """Whether OpenTofu shows a change: it does something, and is not about a data source that is only dropped."""
    if change.action is Action.NO_OP:
        return change.previous_address is not None or change.change.importing is not None
    return change.action is not Action.DELETE or change.address.resource.resource.mode is not ResourceMode.DATA
