"""Compares the outputs of the state after an apply with the planned ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Raw, Struct

from statefmt.lifecycle.plans.plan import Change, ShownPlan
from statefmt.lifecycle.verification._compare import compare_output
from statefmt.lifecycle.verification._difference import Difference, DifferenceKind, PathSteps
from statefmt.lifecycle.verification._masks import mask_of
from statefmt.lifecycle.verification._secrets import cut, shown_value
from statefmt.lifecycle.verification._sides import pointer
from statefmt.model.codes import Code
from statefmt.model.cty import CtyTypeError, Type, parse_type
from statefmt.model.cty.types import DYNAMIC
from statefmt.model.findings import Finding
from statefmt.model.outputs import OutputValue
from statefmt.model.snapshot import Snapshot
from statefmt.pairing import BlockPairing
from statefmt.redaction.object_value import hides_output, named_steps
from statefmt.redaction.path_text import path_text


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
        # The outputs that the configuration does not call sensitive.
        self._not_sensitive = _visible_outputs(plan.configuration)

    def findings(self) -> Iterator[Finding]:
        """Yield what differs: planned outputs first, then others."""
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
                    yield self._lost(name)

    def _planned(self, name: str, change: Change) -> Iterator[Finding]:
        output = self._after.get(name)
        mask = mask_of(change.after_unknown)
        if output is None:
            # An output whose value is null has no place in a state.
            if change.after is not None and mask is not True:
                yield self._lost(name)
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
        """Return whether an output loses its mark: a plan masks both of its sides if either was sensitive.

        Source: OpenTofu `internal/command/jsonplan/plan.go` (MarshalOutputChanges).
        """
        return mask_of(change.before_sensitive) is not False and name in self._not_sensitive

    def _was_sensitive(self, name: str, change: Change) -> bool:
        """Return whether the plan or the state before calls an output sensitive that need not be so any more."""
        old = self._before.get(name)
        prior = self._plan.prior_state
        shown = None if prior is None or prior.outputs is None else prior.outputs.get(name)
        return (
            mask_of(change.before_sensitive) is not False
            or any(named_steps(name, side) for side in (change.before, change.after) if side is not None)
            or (old is not None and old.sensitive)
            or (shown is not None and shown.sensitive)
        )

    def _lost(self, name: str) -> Finding:
        return self._finding(name, "the state no longer has it", None)

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
    """Return the outputs that a plan's configuration does not call sensitive; none if it cannot be read."""
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
