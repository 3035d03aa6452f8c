"""Compares the outputs of the state after an apply with the planned ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statefmt.lifecycle.plans.plan import Change, ShownPlan
from statefmt.lifecycle.verification._compare import compare_output
from statefmt.lifecycle.verification._difference import ABSENT, Difference, PathSteps
from statefmt.lifecycle.verification._masks import mask_of
from statefmt.lifecycle.verification._secrets import json_text
from statefmt.lifecycle.verification._sides import pointer
from statefmt.model.codes import Code
from statefmt.model.cty import CtyTypeError, Type, parse_type
from statefmt.model.cty.types import DYNAMIC
from statefmt.model.findings import Finding
from statefmt.model.outputs import OutputValue
from statefmt.model.snapshot import Snapshot
from statefmt.redaction.hidden import HIDDEN
from statefmt.redaction.path_text import path_text


class OutputChecks:
    """Compares outputs; sensitive values are hidden unless `show` is set."""

    def __init__(self, plan: ShownPlan, before: Snapshot | None, after: Snapshot, *, show: bool) -> None:
        self._plan = plan
        self._before = _by_name(before)
        self._after = _by_name(after)
        self._has_pointers = after.source is not None
        self._show = show

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
        hide = (sensitive or output.sensitive or mask_of(change.before_sensitive) is not False) and not self._show
        for difference in compare_output(change.after, change.after_unknown, output.value, _type(output)):
            yield self._finding(name, _detail(difference, hide=hide), ("value", *difference.tokens))
        if sensitive != output.sensitive:
            what = "not sensitive, but sensitive" if output.sensitive else "sensitive, but not sensitive"
            yield self._finding(name, f"planned as {what}", ("sensitive",))

    def _lost(self, name: str) -> Finding:
        return self._finding(name, "the state no longer has it", None)

    def _finding(self, name: str, detail: str, steps: PathSteps | None) -> Finding:
        place = pointer(("outputs", name, *steps)) if self._has_pointers and steps is not None else ""
        return Code.OUTPUT_NOT_AS_PLANNED.finding("Output not as planned", detail, f"output.{name}", place)


def _by_name(snapshot: Snapshot | None) -> Mapping[str, OutputValue]:
    return {} if snapshot is None else {output.name: output for output in snapshot.outputs}


def _type(output: OutputValue) -> Type:
    try:
        return parse_type(output.type)
    except CtyTypeError:
        return DYNAMIC


def _detail(difference: Difference, *, hide: bool) -> str:
    planned, actual = (
        "no value" if value is ABSENT else HIDDEN if hide else json_text(value)
        for value in (difference.planned, difference.actual)
    )
    where = path_text(difference.path)
    return f"{where}: planned {planned}, but {actual}" if where else f"planned {planned}, but {actual}"
