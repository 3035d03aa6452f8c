"""Summarises a plan: counts its changes in OpenTofu's order and words, and decides whether it changes nothing.

Source: OpenTofu `internal/command/jsonformat/plan.go`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from statefmt.lifecycle.plan import Action, Change, PlannedChange, ShownPlan
from statefmt.model.addrs import ResourceMode

# OpenTofu always names these.
_ALWAYS: Final = ("add", "change", "destroy")
_PASSED: Final = "pass"
_FAILED: Final = frozenset({"fail", "error"})
# The members of a plan that changes nothing. A newer release may plan something in another one.
_MEMBERS: Final = frozenset({
    "format_version", "terraform_version", "variables", "planned_values", "resource_drift", "resource_changes",
    "deferred_changes", "deferred_action_invocations", "output_changes", "action_invocations", "prior_state",
    "configuration", "relevant_attributes", "checks", "timestamp", "applyable", "complete", "errored",
})  # fmt: skip
_NOTHING: Final[tuple[object, ...]] = (None, False, "", 0, [], {})


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


def changes_nothing(plan: ShownPlan) -> bool:
    """Return whether a plan is certainly empty: an apply of it would neither do nor record anything.

    A plan that failed, or is not complete, does not list all changes.
    """
    changes: list[PlannedChange | Change] = [*plan.resource_changes, *plan.resource_drift]
    changes += plan.output_changes.values()
    later = plan.deferred_changes or plan.action_invocations or plan.deferred_action_invocations
    if any(map(_does_something, changes)) or later or open_checks(plan):
        return False
    # `applyable` is true if an apply would do something, such as record other results of checks.
    return not plan.errored and plan.complete is not False and not plan.applyable and not unknown_members(plan)


def _does_something(change: PlannedChange | Change) -> bool:
    if change.action is not Action.NO_OP:
        return True
    if isinstance(change, Change):
        return change.importing is not None
    return change.previous_address is not None or change.change.importing is not None


def unknown_members(plan: ShownPlan) -> list[str]:
    """Return the names of top-level members that are not known, and neither null, false nor empty."""
    members = msgspec.json.decode(plan.source, type=dict[str, msgspec.Raw])
    return sorted(name for name in members.keys() - _MEMBERS if msgspec.json.decode(members[name]) not in _NOTHING)


class OpenCheck(NamedTuple):
    """A check that does not pass in a plan: the address of its object as written, and its status as written."""

    address: str
    status: str

    @property
    def failed(self) -> bool:
        """Whether it certainly does not pass; otherwise only an apply finds out."""
        return self.status in _FAILED


def open_checks(plan: ShownPlan) -> tuple[OpenCheck, ...]:
    """Return the checks that do not pass: conditions of resources, outputs and variables, and `check` blocks.

    Source: Terraform `internal/command/jsonchecks/checks.go`.
    """
    checks = [] if plan.checks is None else msgspec.json.decode(plan.checks)
    return tuple(_open_checks(checks if isinstance(checks, list) else [checks]))


def _open_checks(checks: list[Any]) -> Iterator[OpenCheck]:
    for check in checks:
        found = [each for each in _list(check, "instances") if _text(each, "status") != _PASSED]
        if not found and _text(check, "status") != _PASSED:
            found = [check]
        for each in found:
            address = _text(_member(each, "address"), "to_display") or _text(_member(check, "address"), "to_display")
            yield OpenCheck(address, _text(each, "status"))


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _list(value: Any, name: str) -> list[Any]:
    found = _member(value, name)
    return found if isinstance(found, list) else []


def _text(value: Any, name: str) -> str:
    found = _member(value, name)
    return found if isinstance(found, str) else ""


def is_shown(change: PlannedChange) -> bool:
    """Whether OpenTofu shows a change: it does something, and is not about a data source that is only dropped."""
    if change.action is Action.NO_OP:
        return change.previous_address is not None or change.change.importing is not None
    return change.action is not Action.DELETE or change.address.resource.resource.mode is not ResourceMode.DATA
