"""Prints a plan's own JSON with the provider instance of each change and of each object before it.

Only members are added and sensitive values replaced; all other bytes are those of the plan. Without a provider
instance, `provider_instance` is null and `provider_instance_reason` says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from statefmt.analysis.plans.bindings import BoundChange, PlanBindings, PlannedProvider
from statefmt.formats.raw_json.spans import Container, RawItem, container_at, skip_space
from statefmt.golang import encode_string
from statefmt.lifecycle.plans.plan import Change, ShownPlan
from statefmt.pieces import Span
from statefmt.redaction.hidden import HIDDEN

_HIDDEN: Final = encode_string(HIDDEN)
_AFTER: Final = "provider_name"


class _Edit(NamedTuple):
    """New text in place of a span, which is empty for an insertion."""

    span: Span
    text: bytes


def plan_json(plan: ShownPlan, bindings: PlanBindings, *, show_sensitive: bool) -> bytes:
    """Return the plan's JSON with `provider_instance`; sensitive values become "(sensitive value)"."""
    editor = _Editor(plan.source, hides=not show_sensitive)
    edits = sorted(editor.edits(plan, bindings))
    pieces: list[bytes] = []
    done = 0
    for span, text in edits:
        if span.start < done:
            # Inside a value that is hidden as a whole.
            continue
        pieces += (plan.source[done : span.start], text)
        done = span.end
    return b"".join([*pieces, plan.source[done:]])


class _Editor:
    """Finds what to insert and to hide. The plan was read, so its members have the right types."""

    def __init__(self, text: bytes, *, hides: bool) -> None:
        self._text = text
        self._hides = hides

    def edits(self, plan: ShownPlan, bindings: PlanBindings) -> Iterator[_Edit]:
        members = self._members(Span(0, len(self._text)))
        yield from self._changes(members.get("resource_changes"), bindings.changes)
        yield from self._changes(members.get("resource_drift"), bindings.drift)
        prior = self._member(members.get("prior_state"), "values")
        answers = [] if plan.prior_state is None else list(map(bindings.of_prior, plan.prior_state.resources()))
        yield from self._values(prior, answers)
        if self._hides:
            yield from self._values(members.get("planned_values"), ())
            for deferred in self._elements(members.get("deferred_changes")):
                yield from self._sides(self._member(self._member(deferred, "resource_change"), "change"))
            for change in self._members(members.get("output_changes")).values():
                yield from self._sides(change)
            yield from self._variables(members)

    def _changes(self, span: Span | None, bound: Sequence[BoundChange]) -> Iterator[_Edit]:
        for element, each in zip(self._elements(span), bound, strict=True):
            container = container_at(self._text, element.start, element.end)
            yield from self._named(container, each.planned)
            if self._hides and _may_hide(each.change.change):
                yield from self._sides(_by_name(container).get("change"))

    def _named(self, container: Container, planned: PlannedProvider) -> Iterator[_Edit]:
        """Insert the provider instance after the member `provider_name`, or at the end."""
        item = next((item for item in container.items if item.name == _AFTER), container.items[-1])
        provider = planned.provider
        text = self._member_text(
            item, "provider_instance", b"null" if provider is None else encode_string(str(provider))
        )
        if provider is None:
            text += self._member_text(item, "provider_instance_reason", encode_string(planned.reason))
        yield _Edit(Span(item.whole.end, item.whole.end), text)

    def _member_text(self, beside: RawItem, name: str, value: bytes) -> bytes:
        """Return a member with the comma and the white space of the one beside it."""
        space = self._text[beside.before.start : beside.before.end].replace(b",", b"")
        between = self._text[beside.whole.start : beside.value.start]
        return b"," + space + encode_string(name) + between[between.rindex(b'"') + 1 :] + value

    def _values(self, span: Span | None, answers: Sequence[PlannedProvider]) -> Iterator[_Edit]:
        """Edit a state's values. `answers` has a provider for each resource in the order of the file, or nothing."""
        left = iter(answers)
        members = self._members(span)
        if self._hides:
            for output in self._members(members.get("outputs")).values():
                if self._decoded(self._member(output, "sensitive")) is True:
                    yield from self._hidden(self._member(output, "value"), True)
        waiting = [found for found in [members.get("root_module")] if found is not None]
        while waiting:
            module = self._members(waiting.pop())
            for resource in self._elements(module.get("resources")):
                container = container_at(self._text, resource.start, resource.end)
                if answers:
                    yield from self._named(container, next(left))
                if self._hides:
                    parts = _by_name(container)
                    yield from self._hidden(parts.get("values"), self._decoded(parts.get("sensitive_values")))
            waiting += reversed(list(self._elements(module.get("child_modules"))))

    def _sides(self, change: Span | None) -> Iterator[_Edit]:
        parts = self._members(change)
        for side in ("before", "after"):
            yield from self._hidden(parts.get(side), self._decoded(parts.get(f"{side}_sensitive")))

    def _variables(self, members: dict[str, Span]) -> Iterator[_Edit]:
        """Hide the values and the defaults of variables that the configuration in the plan calls sensitive."""
        root = self._member(members.get("configuration"), "root_module")
        given = self._members(members.get("variables"))
        for name, variable in self._members(self._member(root, "variables")).items():
            if self._decoded(self._member(variable, "sensitive")) is True:
                yield from self._hidden(self._member(given.get(name), "value"), True)
                yield from self._hidden(self._member(variable, "default"), True)

    def _hidden(self, span: Span | None, mask: object) -> Iterator[_Edit]:
        """Replace the parts of a value where the mask is true, and a part whose shape differs from that of its mask."""
        if span is None or not _has_true(mask):
            return
        first = self._text[span.start : span.start + 1]
        if first == b"{" and isinstance(mask, dict):
            for name, part in self._members(span).items():
                yield from self._hidden(part, mask.get(name))
        elif first == b"[" and isinstance(mask, list) and len(elements := list(self._elements(span))) == len(mask):
            for part, each in zip(elements, mask, strict=True):
                yield from self._hidden(part, each)
        elif first != b"n":
            yield _Edit(span, _HIDDEN)

    def _member(self, span: Span | None, name: str) -> Span | None:
        return self._members(span).get(name)

    def _members(self, span: Span | None) -> dict[str, Span]:
        """Return the members of an object; none for anything else. The last of repeated members counts."""
        container = self._container(span, b"{")
        return {} if container is None else _by_name(container)

    def _elements(self, span: Span | None) -> Iterable[Span]:
        container = self._container(span, b"[")
        return () if container is None else [item.value for item in container.items]

    def _container(self, span: Span | None, opening: bytes) -> Container | None:
        if span is None:
            return None
        start = skip_space(self._text, span.start)
        is_wanted = self._text[start : start + 1] == opening
        return container_at(self._text, start, span.end) if is_wanted else None

    def _decoded(self, span: Span | None) -> object:
        return None if span is None else msgspec.json.decode(self._text[span.start : span.end])


def _by_name(container: Container) -> dict[str, Span]:
    return {item.name: item.value for item in container.items}


def _may_hide(change: Change) -> bool:
    """Whether a mask may be true somewhere: nearly all are `{}` or false."""
    masks = (change.before_sensitive, change.after_sensitive)
    return any(mask is not None and bytes(mask) not in (b"{}", b"false") for mask in masks)


def _has_true(mask: object) -> bool:
    if isinstance(mask, dict):
        return any(map(_has_true, mask.values()))
    return any(map(_has_true, mask)) if isinstance(mask, list) else mask is True
