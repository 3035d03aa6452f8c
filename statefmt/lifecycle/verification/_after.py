"""Compares the objects and outputs of the state after an apply with the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import msgspec
from msgspec import Raw, Struct

from statefmt.lifecycle.plan import Action, Change, PlannedChange, ShownPlan, ShownResource
from statefmt.lifecycle.verification._compare import compare_output
from statefmt.lifecycle.verification._difference import (
    Difference,
    DifferenceKind,
    PathSteps,
    attribute_texts,
    mask_of,
    true_paths,
)
from statefmt.lifecycle.verification._objects import (
    Expectations,
    ObjectKey,
    Placed,
    Side,
    differences,
    identity_findings,
    pointer,
    same_object,
    sensitivity_findings,
    status_findings,
    value_findings,
)
from statefmt.lifecycle.verification._secrets import Secrets, cut, shown_value
from statefmt.model.addrs import AbsResourceInstance, ResourceMode
from statefmt.model.cty import DYNAMIC, CtyTypeError, Type, parse_type
from statefmt.model.findings import Code, Finding, Severity
from statefmt.model.snapshot import OutputValue, Snapshot
from statefmt.pairing import BlockPairing
from statefmt.redaction.object_value import hides_output, named_steps
from statefmt.redaction.partial import path_text
from statefmt.text import pattern

_UUID: Final = pattern(rb'"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"')
_REPLACEMENTS: Final = tuple(action for action in Action if action.replaces)
_NULL: Final = b"null"
_SUMMARIES: Final = {
    Code.ADDED_WITHOUT_PLAN: "Not in the plan",
    Code.CHANGE_LOOKS_THE_SAME: "Change looks the same",
    Code.CHANGE_NOT_MADE: "Planned change not made",
    Code.MOVE_NOT_MADE: "Planned move not made",
    Code.OBJECT_KEPT: "Object still in the state",
}


class AfterChecks:
    """Compares the objects of a plan and of the state after it; `failed` collects the changes not made."""

    def __init__(
        self,
        expected: Expectations,
        before: Side,
        after: Side,
        pairing: BlockPairing,
        *,
        strict: bool,
        show_sensitive: bool,
    ) -> None:
        self._expected = expected
        self._before = before
        self._after = after
        self._pairing = pairing
        self._strict = strict
        self._show = show_sensitive
        self._seen: set[ObjectKey] = set()
        self.failed: set[ObjectKey] = set()

    def findings(self) -> Iterator[Finding]:
        """Yield the differences, in the order of the plan, then of the state."""
        for change in self._expected.plan.resource_changes:
            if change.action.leaves_object:
                yield from self._left(change)
            else:
                yield from self._removed(change)
        yield from self._unplanned()
        yield from self._lost()

    def _left(self, change: PlannedChange) -> Iterator[Finding]:
        """Check a change after which the object exists."""
        key = change.address, change.deposed
        self._seen.add(key)
        address = str(change.address)
        placed = self._after.objects.get(key)
        before = self._before.objects.get((change.address_before, change.deposed))
        if placed is None:
            yield from self._missing(change, before)
            return
        if change.previous_address is not None and change.previous_address != change.address:
            yield from self._twice(change, before)
        found = list(self._compared(change, placed, before, address))
        if change.action is not Action.NO_OP and before is not None and same_object(placed.obj, before.obj):
            if found:
                self.failed.add(key)
                yield self._not_made(change, placed, "the object is the same as before")
                return
            if change.action in (Action.UPDATE, *_REPLACEMENTS) and mask_of(change.change.after_unknown) is not False:
                yield self._looks_the_same(change, placed)
                return
        yield from found

    def _compared(
        self, change: PlannedChange, placed: Placed, before: Placed | None, address: str
    ) -> Iterator[Finding]:
        details = change.change
        schema, of = self._expected.schema(change.provider_name, change.address.resource.resource)
        code = Code.CHANGED_WITHOUT_PLAN if change.action is Action.NO_OP else Code.VALUE_NOT_AS_PLANNED
        wanted = Raw(b"{}") if details.after is None else details.after
        found = differences(wanted, details.after_unknown, placed, of, self._pairing)
        secrets = Secrets(
            placed.resource.addr.resource.type, (details,), (placed.obj, before and before.obj), schema, show=self._show
        )
        if found:
            yield from value_findings(found, code, address, self._after, placed, secrets, strict=self._strict)
        yield from identity_findings(details, address, self._after, placed, secrets, show_sensitive=self._show)
        # A created, updated or replaced object must no longer be tainted.
        untouched = before if change.action is Action.NO_OP else None
        yield from status_findings(address, self._after, placed, untouched)
        yield from sensitivity_findings(details, address, self._after, placed, schema)

    def _missing(self, change: PlannedChange, before: Placed | None) -> Iterator[Finding]:
        """Report a change whose object does not exist."""
        old = change.address_before, change.deposed
        self.failed.add((change.address, change.deposed))
        address = str(change.address)
        if old[0] != change.address and old in self._after.objects and old not in self._expected.changes:
            self._seen.add(old)
            placed = self._after.objects[old]
            yield self._found(
                Code.MOVE_NOT_MADE, f"The object was to move here from {old[0]}; it is still there.", address, placed
            )
        elif before is None or change.action.replaces or change.action is Action.READ:
            yield self._not_made(change, None, "the state has no such object")
        else:
            yield _lost(address)

    def _twice(self, change: PlannedChange, before: Placed | None) -> Iterator[Finding]:
        """Report an object that moved, but also remains at its old address."""
        old = change.address_before, change.deposed
        placed = self._after.objects.get(old)
        if placed is None or old in self._expected.changes or before is None:
            return
        self._seen.add(old)
        detail = f"The object was to move from {old[0]} to {change.address}; the state has both."
        yield self._found(Code.MOVE_NOT_MADE, detail, change.address, placed)

    def _found(self, code: Code, detail: str, address: object, placed: Placed | None) -> Finding:
        """Return a finding at an object of the state after the apply, or without an object."""
        return code.finding(
            _SUMMARIES[code], detail, str(address), "" if placed is None else self._after.pointer(placed)
        )

    def _not_made(self, change: PlannedChange, placed: Placed | None, why: str) -> Finding:
        what = "import, then " if change.change.importing is not None else ""
        return self._found(Code.CHANGE_NOT_MADE, f"Planned: {what}{change.action}; {why}.", change.address, placed)

    def _looks_the_same(self, change: PlannedChange, placed: Placed) -> Finding:
        """Report a change after which all values are as before, even those known only after apply."""
        if change.action.replaces and _replaces_random(change.change, placed):
            self.failed.add((change.address, change.deposed))
            return self._not_made(change, placed, "the object is the same as before, with the same random values")
        detail = (
            f"Planned: {change.action}; the object has the values that it had before, even those that were unknown "
            "before apply; the change may not have been made."
        )
        finding = self._found(Code.CHANGE_LOOKS_THE_SAME, detail, change.address, placed)
        return finding if change.action.replaces else replace(finding, severity=Severity.INFO)

    def _removed(self, change: PlannedChange) -> Iterator[Finding]:
        """Check that an object, current or deposed, is gone."""
        for address in dict.fromkeys((change.address, change.address_before)):
            key = address, change.deposed
            if not change.deposed and address != change.address and key in self._expected.changes:
                continue
            self._seen.add(key)
            placed = self._after.objects.get(key)
            if placed is not None:
                self.failed.add((change.address, change.deposed))
                was = f"was to be {'forgotten' if change.action is Action.FORGET else 'destroyed'}"
                if change.deposed:
                    yield self._deposed(address, placed, f"{was}; the state still has it")
                else:
                    yield self._found(Code.OBJECT_KEPT, f"The object {was}; the state still has it.", address, placed)

    def _deposed(self, address: AbsResourceInstance, placed: Placed, what: str) -> Finding:
        return Code.DEPOSED_KEPT.finding(
            "Deposed object still in the state",
            f"The deposed object {placed.obj.deposed} {what}.",
            str(address),
            self._after.pointer(placed, "deposed"),
        )

    def _unplanned(self) -> Iterator[Finding]:
        """Check the objects that are not in the plan's changes."""
        for key, placed in self._after.objects.items():
            if key in self._seen:
                continue
            instance, deposed = key
            address = str(instance)
            prior = self._expected.prior.get((address, deposed))
            before = self._before.objects.get(key)
            if prior is not None:
                yield from self._untouched(address, prior, placed, before)
            elif deposed and before is None:
                yield self._deposed(instance, placed, "is new: an object was replaced, and the old one not destroyed")
            elif (moved := self._expected.moves.get(instance)) is not None and before is not None:
                yield self._found(
                    Code.MOVE_NOT_MADE, f"The object was to move to {moved}; it is still here.", moved, placed
                )
                self.failed.add((moved, deposed))
                self._seen.add((moved, deposed))
            elif before is None:
                detail = "The plan does not mention this object, and the state before did not have it."
                yield self._found(Code.ADDED_WITHOUT_PLAN, detail, address, placed)
            elif not placed.is_data and key in self._expected.drift:
                detail = "The plan found that the object no longer exists; the state still has it."
                yield self._found(Code.OBJECT_KEPT, detail, address, placed)

    def _untouched(
        self, address: str, prior: ShownResource, placed: Placed, before: Placed | None
    ) -> Iterator[Finding]:
        """Check an object that the plan does not change: it must be as in the refreshed state."""
        schema, of = self._expected.schema(prior.provider_name, placed.resource.addr.resource)
        found = differences(prior.values, None, placed, of, self._pairing)
        if found:
            shown = Change(
                action=Action.NO_OP, before_sensitive=prior.sensitive_values, after_sensitive=prior.sensitive_values
            )
            secrets = Secrets(
                placed.resource.addr.resource.type,
                (shown,),
                (placed.obj, before and before.obj),
                schema,
                show=self._show,
            )
            code = Code.CHANGED_WITHOUT_PLAN
            yield from value_findings(found, code, address, self._after, placed, secrets, strict=self._strict)
        if not prior.tainted:
            yield from status_findings(address, self._after, placed, before)

    def _lost(self) -> Iterator[Finding]:
        """Report objects of the refreshed state that no change names, and that are missing."""
        present = {(str(instance), deposed) for instance, deposed in self._after.objects.keys() - self._seen}
        planned = {
            (str(address), change.deposed)
            for change in self._expected.plan.resource_changes
            for address in (change.address, change.address_before)
        } | {(str(instance), deposed) for instance, deposed in self._seen}
        for (address, deposed), prior in self._expected.prior.items():
            if (address, deposed) in present or (address, deposed) in planned:
                continue
            if prior.mode == ResourceMode.DATA.value and self._expected.removes_all:
                continue
            yield _lost(address, deposed)


def _lost(address: str, deposed: str = "") -> Finding:
    what = f"The deposed object {deposed}" if deposed else "The object"
    return Code.INSTANCE_LOST.finding(
        "Lost from the state", f"{what} was to stay; the state no longer has it.", address
    )


def _replaces_random(change: Change, placed: Placed) -> bool:
    """Return whether a value determined by the apply is a UUID, which no two objects share."""
    if placed.obj.attributes is None:
        return False
    texts = attribute_texts(placed.obj.attributes)
    names = {path[0] for path in true_paths(mask_of(change.after_unknown)) if len(path) == 1}
    return any(_UUID.fullmatch(texts.get(str(name), _NULL)) for name in names)


class OutputChecks:
    """Compares outputs; sensitive values are hidden unless `show` is set."""

    def __init__(
        self, plan: ShownPlan, before: Snapshot | None, after: Snapshot, pairing: BlockPairing, *, show: bool
    ) -> None:
        self._plan = plan
        self._before = _by_name(before)
        self._after = _by_name(after)
        self._has_pointers = after.source is not None
        self._pairing = pairing
        self._show = show
        # The outputs that the configuration does not mark as sensitive.
        self._not_sensitive = _visible_outputs(plan.configuration)

    def findings(self) -> Iterator[Finding]:
        """Yield the differences: planned outputs first, then others."""
        for name, change in self._plan.output_changes.items():
            yield from self._planned(name, change)
        prior = (self._plan.prior_state and self._plan.prior_state.outputs) or {}
        for name, output in self._after.items():
            if name in self._plan.output_changes or name in prior:
                continue
            old = self._before.get(name)
            if old is None or old.value != output.value:
                yield self._finding(name, "the plan does not mention it", ())
        if not self._plan.output_changes:
            for name in prior:
                if name in self._before and name not in self._after:
                    yield self._finding(name, "the state no longer has it", None)

    def _planned(self, name: str, change: Change) -> Iterator[Finding]:
        output = self._after.get(name)
        mask = mask_of(change.after_unknown)
        if output is None:
            # A state does not store an output whose value is null.
            if change.after is not None and mask is not True:
                yield self._finding(name, "the state no longer has it", None)
            return
        if change.after is None and mask is False:
            yield self._finding(name, "planned to be removed, but still in the state", ())
            return
        sensitive = mask_of(change.after_sensitive) is not False
        hide = not self._show and (sensitive or hides_output(output) or self._was_sensitive(name, change))
        found = compare_output(change.after, change.after_unknown, output.value, _type(output), self._pairing)
        for difference in [cut(each, 0) for each in found[:1]] if hide else found:
            yield self._finding(name, _detail(difference, hide=hide), ("value", *difference.tokens))
        if sensitive != output.sensitive and not self._becomes_visible(name, change):
            what = "not sensitive, but sensitive" if output.sensitive else "sensitive, but not sensitive"
            yield self._finding(name, f"planned as {what}", ("sensitive",))

    def _becomes_visible(self, name: str, change: Change) -> bool:
        """Return whether an output loses its mark: a plan masks both sides if either was sensitive.

        Source: OpenTofu `internal/command/jsonplan/plan.go` (MarshalOutputChanges).
        """
        return mask_of(change.before_sensitive) is not False and name in self._not_sensitive

    def _was_sensitive(self, name: str, change: Change) -> bool:
        """Return whether the plan or the prior state marks an output as sensitive that need not be so any more."""
        old = self._before.get(name)
        prior = self._plan.prior_state
        shown = None if prior is None or prior.outputs is None else prior.outputs.get(name)
        return (
            mask_of(change.before_sensitive) is not False
            or any(named_steps(name, side) for side in (change.before, change.after) if side is not None)
            or (old is not None and old.sensitive)
            or (shown is not None and shown.sensitive)
        )

    def _finding(self, name: str, detail: str, steps: PathSteps | None) -> Finding:
        place = pointer(("outputs", name, *steps)) if self._has_pointers and steps is not None else ""
        return Code.OUTPUT_NOT_AS_PLANNED.finding("Output not as planned", detail, f"output.{name}", place)


class _OutputJSON(Struct, gc=False):
    sensitive: bool = False


class _ModuleJSON(Struct, gc=False):
    outputs: dict[str, _OutputJSON] | None = None


class _ConfigurationJSON(Struct, gc=False):
    root_module: _ModuleJSON | None = None


def _visible_outputs(raw: Raw | None) -> frozenset[str]:
    """Return the outputs that a plan's configuration does not mark as sensitive; none if it cannot be read."""
    try:
        document = _ConfigurationJSON() if raw is None else msgspec.json.decode(raw, type=_ConfigurationJSON)
    except (msgspec.DecodeError, RecursionError):
        return frozenset()
    outputs = document.root_module and document.root_module.outputs
    return frozenset(name for name, output in (outputs or {}).items() if not output.sensitive)


def _by_name(snapshot: Snapshot | None) -> Mapping[str, OutputValue]:
    return {} if snapshot is None else {output.name: output for output in snapshot.outputs}


def _type(output: OutputValue) -> Type:
    try:
        return parse_type(output.type)
    except CtyTypeError:
        return DYNAMIC


def _detail(difference: Difference, *, hide: bool) -> str:
    planned, actual = (shown_value(value, hide=hide) for value in (difference.planned, difference.actual))
    where = path_text(difference.path)
    if difference.kind is DifferenceKind.ORDER:
        return f"{where or 'the value'}: planned with its elements in another order"
    return f"{where}: planned {planned}, but {actual}" if where else f"planned {planned}, but {actual}"
