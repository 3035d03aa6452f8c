"""Prints a plan's own JSON with the provider instance of each change and of each object before it.

Only members are added, and sensitive values and unknown members replaced; all other bytes are those of the plan.
Without a provider instance, `provider_instance` is null and `provider_instance_reason` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from msgspec import Raw

from statefmt.analysis.plans.bindings import BoundChange, PlanBindings, PlannedProvider
from statefmt.formats.raw_json import Container, RawItem, container_at
from statefmt.golang import encode_string
from statefmt.lifecycle.plan import Change, ShownPlan, decode_part
from statefmt.pieces import Span
from statefmt.redaction.object_value import named_steps, sounds_secret, typed_steps
from statefmt.redaction.partial import HIDDEN
from statefmt.redaction.secrets.known import SecretSteps
from statefmt.render.plan._configuration_secrets import BlockKey, configuration_secrets
from statefmt.render.plan._json_spans import JSONSpans, true_names
from statefmt.render.plan._known_members import unknown_members

_HIDDEN: Final = encode_string(HIDDEN)
# Finds the secrets without a mark in a value.
_FindSecrets: TypeAlias = Callable[[Raw], Sequence[SecretSteps]]
_AFTER: Final = "provider_name"


class _Edit(NamedTuple):
    """New text in place of a span, which is empty for an insertion."""

    span: Span
    text: bytes


def plan_json(plan: ShownPlan, bindings: PlanBindings, *, show_sensitive: bool) -> bytes:
    """Return the plan's JSON with `provider_instance`; sensitive values and unknown members are hidden."""
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
        self._spans = JSONSpans(text)
        self._hides = hides
        # The masks of the changes by address, and those of outputs by name.
        self._marked: Mapping[str, list[object]] = {}

    def edits(self, plan: ShownPlan, bindings: PlanBindings) -> Iterator[_Edit]:
        members = self._spans.members(Span(0, len(self._text)))
        if self._hides:
            self._marked = _by_address(plan)
        yield from self._changes(members.get("resource_changes"), bindings.changes)
        yield from self._changes(members.get("resource_drift"), bindings.drift)
        prior = self._spans.member(members.get("prior_state"), "values")
        answers = [] if plan.prior_state is None else list(map(bindings.of_prior, plan.prior_state.resources()))
        yield from self._values(prior, answers)
        if self._hides:
            yield from self._values(members.get("planned_values"), ())
            yield from self._hidden_parts(plan, members)

    def _hidden_parts(self, plan: ShownPlan, members: Mapping[str, Span]) -> Iterator[_Edit]:
        """Hide what is sensitive in the parts of the plan that name no provider instance."""
        for deferred in self._spans.elements(members.get("deferred_changes")):
            resource = self._spans.members(self._spans.member(deferred, "resource_change"))
            yield from self._sides(resource.get("change"), self._typed(resource.get("type")))
        for name, change in self._spans.members(members.get("output_changes")).items():
            yield from self._sides(change, partial(named_steps, name))
        for name, variable in self._spans.members(members.get("variables")).items():
            yield from self._secret(self._spans.member(variable, "value"), partial(named_steps, name))
        for action in self._spans.elements(members.get("action_invocations")):
            yield from self._action(action)
        for deferred in self._spans.elements(members.get("deferred_action_invocations")):
            yield from self._action(self._spans.member(deferred, "action_invocation"))
        yield from self._variables(members)
        secrets = configuration_secrets(self._spans, members.get("configuration"), _by_block(plan))
        unknown = unknown_members(self._spans, Span(0, len(self._text)))
        yield from (_Edit(span, _HIDDEN) for span in (*secrets, *unknown))

    def _action(self, span: Span | None) -> Iterator[_Edit]:
        """Hide what is sensitive in the arguments of an action; all of it, if the plan does not say what is."""
        parts = self._spans.members(span)
        values, mask = parts.get("config_values"), self._spans.decoded(parts.get("config_sensitive"))
        yield from self._hidden(values, mask if isinstance(mask, (dict, list)) or mask is False else True)
        yield from self._secret(values, self._typed(parts.get("type")))

    def _typed(self, type_name: Span | None) -> _FindSecrets:
        return partial(typed_steps, str(self._spans.decoded(type_name) or ""))

    def _secret(self, span: Span | None, find: _FindSecrets) -> Iterator[_Edit]:
        """Hide what is a secret without a mark."""
        places = () if span is None else find(Raw(self._text[span.start : span.end]))
        yield from (_Edit(found, _HIDDEN) for found in self._spans.at(span, places))

    def _changes(self, span: Span | None, bound: Sequence[BoundChange]) -> Iterator[_Edit]:
        for element, each in zip(self._spans.elements(span), bound, strict=True):
            container = container_at(self._text, element.start, element.end)
            yield from self._named(container, each.planned)
            if self._hides:
                type_name = each.change.address.resource.resource.type
                yield from self._sides(_by_name(container).get("change"), partial(typed_steps, type_name))

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
        members = self._spans.members(span)
        if self._hides:
            for name, output in self._spans.members(members.get("outputs")).items():
                marked = f"output.{name}" in self._marked
                value = self._spans.member(output, "value")
                if marked or self._spans.decoded(self._spans.member(output, "sensitive")) is True:
                    yield from self._hidden(value, True)
                yield from self._secret(value, partial(named_steps, name))
        waiting = [found for found in [members.get("root_module")] if found is not None]
        while waiting:
            module = self._spans.members(waiting.pop())
            for resource in self._spans.elements(module.get("resources")):
                container = container_at(self._text, resource.start, resource.end)
                if answers:
                    yield from self._named(container, next(left))
                if self._hides:
                    parts = _by_name(container)
                    address = self._spans.decoded(parts.get("address"))
                    own = self._spans.decoded(parts.get("sensitive_values"))
                    masks = [own, *self._marked.get(str(address), ())]
                    for mask in masks:
                        yield from self._hidden(parts.get("values"), mask)
                    yield from self._secret(parts.get("values"), self._typed(parts.get("type")))
                    yield from self._identity(parts.get("identity"), masks)
            waiting += reversed(list(self._spans.elements(module.get("child_modules"))))

    def _sides(self, change: Span | None, find: _FindSecrets) -> Iterator[_Edit]:
        """Hide on both sides what is sensitive on either: a mark that comes or goes leaves the value the same."""
        parts = self._spans.members(change)
        sides = [side for side in (parts.get("before"), parts.get("after")) if side is not None]
        secret = [steps for side in sides for steps in find(Raw(self._text[side.start : side.end]))]
        yield from (_Edit(found, _HIDDEN) for side in sides for found in self._spans.at(side, secret))
        yield from self._secret(parts.get("generated_config"), partial(named_steps, ""))
        masks = [self._spans.decoded(parts.get(f"{side}_sensitive")) for side in ("before", "after")]
        for mask in masks:
            for side in ("before", "after"):
                yield from self._hidden(parts.get(side), mask)
        importing = self._spans.members(parts.get("importing"))
        for identity in (parts.get("before_identity"), parts.get("after_identity"), importing.get("identity")):
            yield from self._identity(identity, masks)
        hides_id = "id" in true_names(masks) or True in masks or any(steps[:1] in ((), ("id",)) for steps in secret)
        if "id" in importing and hides_id:
            yield _Edit(importing["id"], _HIDDEN)

    def _identity(self, span: Span | None, masks: Sequence[object]) -> Iterator[_Edit]:
        """Hide in an identity, which has no mask, what is sensitive as an attribute and what has a secret's name."""
        hidden = true_names(masks)
        for name, value in self._spans.all_members(span):
            if name in hidden or True in masks or sounds_secret(name):
                yield from self._hidden(value, True)
        yield from self._secret(span, partial(typed_steps, ""))

    def _variables(self, members: Mapping[str, Span]) -> Iterator[_Edit]:
        """Hide the values of variables that the configuration in the plan calls sensitive."""
        spans = self._spans
        root = spans.member(members.get("configuration"), "root_module")
        given = spans.members(members.get("variables"))
        for name, variable in spans.members(spans.member(root, "variables")).items():
            if spans.decoded(spans.member(variable, "sensitive")) is True:
                yield from self._hidden(spans.member(given.get(name), "value"), True)

    def _hidden(self, span: Span | None, mask: object) -> Iterator[_Edit]:
        yield from (_Edit(found, _HIDDEN) for found in self._spans.hidden(span, mask))


def _by_name(container: Container) -> dict[str, Span]:
    return {item.name: item.value for item in container.items}


def _by_address(plan: ShownPlan) -> Mapping[str, list[object]]:
    """Return the masks of the changes by address, of `output.NAME` for outputs. Most objects have none."""
    found: dict[str, list[object]] = {}
    for each in (*plan.resource_changes, *plan.resource_drift):
        if masks := _masks(each.change):
            found.setdefault(str(each.address), []).extend(masks)
    return found | {f"output.{name}": masks for name, each in plan.output_changes.items() if (masks := _masks(each))}


def _by_block(plan: ShownPlan) -> Mapping[BlockKey, frozenset[str]]:
    """Return the attributes of resource blocks that are sensitive in a change of one of their instances."""
    found: dict[BlockKey, frozenset[str]] = {}
    for each in (*plan.resource_changes, *plan.resource_drift):
        if masks := _masks(each.change):
            key = each.address.module.module().names, str(each.address.resource.resource)
            found[key] = found.get(key, frozenset()) | true_names(masks)
    return found


def _masks(change: Change) -> list[object]:
    """Return the masks of a change that may be true somewhere: nearly all are `{}` or false."""
    masks = (change.before_sensitive, change.after_sensitive)
    return [decode_part(mask) for mask in masks if mask is not None and b"true" in bytes(mask)]
