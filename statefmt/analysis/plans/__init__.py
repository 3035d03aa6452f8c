"""Summarises a plan in OpenTofu's order and words, and compares its prior state with a given state.

Source: OpenTofu `internal/command/jsonformat/plan.go`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import Raw

from statefmt.analysis.diff.places import equal_values, plain
from statefmt.analysis.diff.values import ValueChange, value_changes
from statefmt.analysis.plans.members import unknown_pointers
from statefmt.analysis.plans.values import masked
from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.lifecycle.plan import Action, Change, PlannedChange, ShownPlan, ShownResource, read_mask
from statefmt.model.addrs import ResourceMode
from statefmt.model.snapshot import ObjectStatus, OutputValue, ResourceInstanceObject, Snapshot, instances
from statefmt.redaction.object_value import attributes_value, typed_steps
from statefmt.redaction.partial import decoded, hidden_at

if TYPE_CHECKING:
    from statefmt.pairing import BlockPairing


# OpenTofu always names these.
_ALWAYS: Final = ("add", "change", "destroy")
_PASSED: Final = "pass"
_FAILED: Final = frozenset({"fail", "error"})


def plan_counts(plan: ShownPlan) -> str:
    """Count the resource changes of a plan: `3 to add, 1 to change, 2 to destroy, 1 to move`.

    A replacement adds one and destroys one. OpenTofu counts neither moves nor reads.
    """
    changes = [each for each in plan.resource_changes if is_shown(each)]
    actions = Counter(each.action for each in changes)
    numbers = {
        "import": sum(each.change.importing is not None for each in changes),
        "add": sum(number for action, number in actions.items() if action.creates),
        "change": actions[Action.UPDATE],
        "destroy": sum(number for action, number in actions.items() if action.destroys),
        "forget": sum(number for action, number in actions.items() if action.removes and not action.destroys),
        "move": sum(each.previous_address is not None for each in changes),
        "read": actions[Action.READ],
        "open": actions[Action.OPEN],
    }
    return ", ".join(f"{number:,} to {what}" for what, number in numbers.items() if number or what in _ALWAYS)


def changes_nothing(plan: ShownPlan) -> bool:
    """Return whether a plan is certainly empty: an apply of it would neither do nor record anything.

    A failed or incomplete plan does not list all changes.
    """
    changes: list[PlannedChange | Change] = [*plan.resource_changes, *plan.resource_drift]
    changes += plan.output_changes.values()
    if any(map(_does_something, changes)) or plan.action_invocations or open_checks(plan):
        return False
    # `applyable` is true if an apply would have an effect, such as recording other results of checks.
    return plan.is_complete and not plan.applyable and not unknown_pointers(plan)


def _does_something(change: PlannedChange | Change) -> bool:
    if change.action.has_effect:
        return True
    if isinstance(change, Change):
        return change.importing is not None
    return change.previous_address is not None or change.change.importing is not None


class OpenCheck(NamedTuple):
    """A check that does not pass in a plan: the address of its object as written, and its status as written."""

    address: str
    status: str

    @property
    def failed(self) -> bool:
        """Whether the check certainly fails; otherwise only an apply decides."""
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
    """Return whether OpenTofu shows a change: it has an effect, and does not merely drop a data source."""
    if change.action is Action.NO_OP:
        return change.previous_address is not None or change.change.importing is not None
    return change.action is not Action.DELETE or change.address.resource.resource.mode is not ResourceMode.DATA


# Compares the prior state of a plan with a given state.
# The JSON form of a plan has neither lineage nor serial, but the objects: `prior_state` after moves and refreshing,
# and the object before refreshing in `resource_drift`. Deposed objects have no drift, and data sources are read
# again, so the content of neither is compared. Source: OpenTofu `internal/tofu/context_plan.go` (driftedResources),
# `internal/command/jsonplan/plan.go`.


class PriorKind(Enum):
    """The kind of difference of an object between the prior state of a plan and the given state."""

    ONLY_IN_STATE = auto()
    ONLY_IN_PLAN = auto()
    ADDRESS = auto()  # the plan moves it, but it is already at its new address
    STATUS = auto()
    VALUES = auto()


class PriorDifference(NamedTuple):
    """An object that differs; `address` and `pointer` refer to the plan. `values` are for VALUES."""

    kind: PriorKind
    address: str
    deposed: str
    pointer: str
    values: tuple[ValueChange, ...] = ()


class PriorComparison(NamedTuple):
    """All differences, and whether any managed object is in both."""

    differences: tuple[PriorDifference, ...]
    any_in_common: bool


def compare_prior(plan: ShownPlan, snapshot: Snapshot, pairing: BlockPairing | None = None) -> PriorComparison:
    """Compare the managed objects known to a plan with the objects of a state.

    An attribute that one side lacks, and that is null or empty on the other, is no difference: provider releases add
    and remove attributes. Objects of another schema version are not compared by value, nor are objects of old
    formats. `pairing` pairs the blocks of all lists that a run compares.
    """
    view = _PlanView(plan)
    state = dict(_managed(snapshot, view))
    known = {
        (resource.address, resource.deposed_key): resource
        for resource in (plan.prior_state.resources() if plan.prior_state else ())
        if resource.mode != "data"
    }
    there_already = {str(instance.addr) for instance in instances(snapshot)} & set(view.moved.values())
    found = [
        PriorDifference(PriorKind.ADDRESS, address, "", view.pointer(address, ""))
        for address in sorted(there_already - {str(address) for address in view.moved})
    ]
    found += [
        PriorDifference(PriorKind.ONLY_IN_STATE, *key, view.pointer(*key))
        for key in state
        if key not in known and not view.is_gone(*key)
    ]
    for key, resource in known.items():
        there = state.get(key)
        if there is not None:
            found += _differing(view, resource, there, pairing)
        elif resource.address not in view.imported:
            found.append(PriorDifference(PriorKind.ONLY_IN_PLAN, *key, view.pointer(*key)))
    return PriorComparison(tuple(found), bool(state.keys() & known.keys()) or not state or not known)


class _PlanView:
    """A plan's changes by address."""

    def __init__(self, plan: ShownPlan) -> None:
        every = (*plan.resource_changes, *plan.resource_drift)
        self.moved: Final = {
            each.previous_address: str(each.address) for each in every if each.previous_address is not None
        }
        self.imported: Final = frozenset(
            str(each.address) for each in plan.resource_changes if each.change.importing is not None
        )
        self.drift: Final[Mapping[str, PlannedChange]] = {
            str(each.address): each
            for each in plan.resource_drift
            if not each.deposed and each.action is not Action.NO_OP
        }
        self._changes = {(str(each.address), each.deposed): each for each in plan.resource_changes}

    def is_gone(self, address: str, deposed: str) -> bool:
        """Return whether refreshing found an object deleted; for deposed objects, the plan does not record this."""
        drift = self.drift.get(address)
        return bool(deposed) or (drift is not None and drift.action is Action.DELETE)

    def pointer(self, address: str, deposed: str) -> str:
        """Return the JSON pointer to an object in the plan; "" for the whole plan."""
        change = self._changes.get((address, deposed))
        return "" if change is None else f"/resource_changes/{change.number}/change/before"


def _managed(snapshot: Snapshot, view: _PlanView) -> Iterator[tuple[tuple[str, str], ResourceInstanceObject]]:
    for instance in instances(snapshot):
        if instance.resource.addr.resource.mode is not ResourceMode.MANAGED:
            continue
        address = instance.addr
        text = view.moved.get(address) or str(address)
        for obj in instance.objects:
            yield (text, obj.deposed), obj


def _differing(
    view: _PlanView, resource: ShownResource, obj: ResourceInstanceObject, pairing: BlockPairing | None
) -> Iterator[PriorDifference]:
    key = (resource.address, resource.deposed_key)
    if resource.tainted != (obj.status is ObjectStatus.TAINTED):
        yield PriorDifference(PriorKind.STATUS, *key, view.pointer(*key))
    if resource.deposed_key or resource.schema_version != obj.schema_version or obj.attributes is None:
        return
    drift = view.drift.get(resource.address)
    raw, mask = resource.values, resource.sensitive_values
    pointer = view.pointer(*key)
    if drift is not None:
        raw, mask = drift.change.before or raw, drift.change.before_sensitive or mask
        pointer = f"/resource_drift/{drift.number}/change/before"
    values = _value_differences(obj, resource.type, raw, mask, pairing)
    if values:
        yield PriorDifference(PriorKind.VALUES, *key, pointer, values)


def _value_differences(
    obj: ResourceInstanceObject, type_name: str, expected: Raw, mask: Raw, pairing: BlockPairing | None
) -> tuple[ValueChange, ...]:
    wanted = loads_exact(bytes(expected), replace_invalid=True)
    there = decoded(attributes_value(obj, type_name, show_sensitive=True))
    if not isinstance(wanted, Members) or not isinstance(there, Members):
        return ()
    names = {name for name, _ in wanted}
    old, new = _only(there, names), _pruned(wanted)
    if _equal(old, new):
        return ()
    shown_old = _only(decoded(attributes_value(obj, type_name, show_sensitive=False)), names)
    return value_changes(
        old,
        new,
        shown_old,
        _pruned(masked(hidden_at(wanted, typed_steps(type_name, expected)), read_mask(mask))),
        exact=False,
        pairing=pairing,
    )


def _equal(one: JSONValue, other: JSONValue) -> bool:
    return one == other or equal_values(plain(one, exact=False), plain(other, exact=False))


def _only(value: JSONValue, names: set[str]) -> JSONValue:
    """Return the attributes with one of the names: OpenTofu drops attributes removed from the schema."""
    if not isinstance(value, Members):
        return value
    return _pruned(Members((name, part) for name, part in value if name in names))


def _pruned(value: JSONValue) -> JSONValue:
    """Return a value without members that are null or empty."""
    if isinstance(value, list):
        return [_pruned(item) for item in value]
    if not isinstance(value, Members):
        return value
    parts = ((name, _pruned(part)) for name, part in value)
    return Members((name, part) for name, part in parts if part not in (None, [], Members()))


def changed_outputs(plan: ShownPlan, snapshot: Snapshot) -> Iterator[str]:
    """Yield the names of the outputs whose value before the plan differs from the state."""
    there: Mapping[str, OutputValue] = {output.name: output for output in snapshot.outputs}
    for name, change in plan.output_changes.items():
        output = there.get(name)
        before = None if change.before is None else loads_exact(bytes(change.before), replace_invalid=True)
        now = None if output is None else loads_exact(bytes(output.value), replace_invalid=True)
        if not _equal(now, before):
            yield name
