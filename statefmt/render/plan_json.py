"""Prints a plan's own JSON with the provider instance of each change and of each prior or planned object.

Only adds members, and replaces sensitive values and unknown members; all other bytes are the plan's. Without a
provider instance, `provider_instance` is null and `provider_instance_reason` gives the reason. In the configuration,
`provider_instance_expression` is the key in the `provider` argument of a resource block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Raw

from statefmt.analysis.plans.bindings import BoundChange, PlanBindings, PlannedProvider
from statefmt.analysis.plans.members import unknown_members
from statefmt.analysis.plans.values import true_names
from statefmt.formats.raw_json import Container, RawItem, container_at, skip_space
from statefmt.golang import encode_string
from statefmt.hcl.syntax import Expression, Literal, reference_text, references
from statefmt.lifecycle.plan import Change, ShownPlan, decode_part, has_true
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.cty.number import Number, format_shortest
from statefmt.model.errors import AddressError
from statefmt.pieces import Span
from statefmt.redaction.object_value import named_steps, sounds_secret, typed_steps
from statefmt.redaction.partial import HIDDEN
from statefmt.redaction.secrets import SecretSteps, known_attributes

_HIDDEN: Final = encode_string(HIDDEN)
# Finds the secrets without a mark in a value.
_FindSecrets: TypeAlias = Callable[[Raw], Sequence[SecretSteps]]
# A resource block: the names of its module's calls, and its address there.
BlockKey: TypeAlias = tuple[tuple[str, ...], str]
_AFTER: Final = "provider_name"
_KEY: Final = "provider_config_key"
_INSTANCE: Final = "provider_instance"


class _Edit(NamedTuple):
    """New text for a span, which is empty for an insertion."""

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
    """Finds the edits: insertions and hidden values. The plan was read, so its members have the right types."""

    def __init__(self, text: bytes, *, hides: bool) -> None:
        self._text = text
        self._spans = JSONSpans(text)
        self._hides = hides
        # The masks of the changes by address, and of outputs by name.
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
        planned = [] if plan.planned_values is None else list(map(bindings.of_planned, plan.planned_values.resources()))
        yield from self._values(members.get("planned_values"), planned)
        yield from self._keys(members.get("configuration"), bindings.key_expressions)
        if self._hides:
            yield from self._hidden_parts(plan, members)

    def _hidden_parts(self, plan: ShownPlan, members: Mapping[str, Span]) -> Iterator[_Edit]:
        """Hide sensitive values in the parts of the plan without provider instances."""
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
        yield from (_Edit(span, _HIDDEN) for span in secrets)
        unknown = unknown_members(self._spans, Span(0, len(self._text)))
        yield from (_Edit(member.value, _HIDDEN) for member in unknown)

    def _action(self, span: Span | None) -> Iterator[_Edit]:
        """Hide sensitive arguments of an action; all of them if the plan has no mask for them."""
        parts = self._spans.members(span)
        values, mask = parts.get("config_values"), self._spans.decoded(parts.get("config_sensitive"))
        yield from self._hidden(values, mask if isinstance(mask, (dict, list)) or mask is False else True)
        yield from self._secret(values, self._typed(parts.get("type")))

    def _typed(self, type_name: Span | None) -> _FindSecrets:
        return partial(typed_steps, str(self._spans.decoded(type_name) or ""))

    def _secret(self, span: Span | None, find: _FindSecrets) -> Iterator[_Edit]:
        """Hide secrets without a mark."""
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
        """Insert the provider instance after the member `provider_name`, or at the end, or replace an earlier one."""
        item = next((item for item in container.items if item.name == _AFTER), container.items[-1])
        provider = planned.provider
        value = b"null" if provider is None else encode_string(str(provider))
        earlier = _by_name(container).get(_INSTANCE)
        if earlier is not None:
            # The plan is a result of plan-show.
            yield _Edit(earlier, value)
            return
        text = self._member_text(item, _INSTANCE, value)
        if provider is None:
            text += self._member_text(item, "provider_instance_reason", encode_string(planned.reason))
        yield _Edit(Span(item.whole.end, item.whole.end), text)

    def _member_text(self, beside: RawItem, name: str, value: bytes) -> bytes:
        """Return a member with the comma and the white space of its neighbour."""
        space = self._text[beside.before.start : beside.before.end].replace(b",", b"")
        between = self._text[beside.whole.start : beside.value.start]
        return b"," + space + encode_string(name) + between[between.rindex(b'"') + 1 :] + value

    def _keys(self, configuration: Span | None, keys: Mapping[BlockKey, Expression]) -> Iterator[_Edit]:
        """Insert the key of the provider instance into the blocks of the configuration that have one."""
        for names, module in configured_modules(self._spans, configuration) if keys else ():
            for resource in self._spans.elements(module.get("resources")):
                container = container_at(self._text, resource.start, resource.end)
                address = self._spans.decoded(_by_name(container).get("address"))
                key = keys.get((names, str(address)))
                if key is not None:
                    item = next((item for item in container.items if item.name == _KEY), container.items[-1])
                    text = self._member_text(item, "provider_instance_expression", _expression_json(key))
                    yield _Edit(Span(item.whole.end, item.whole.end), text)

    def _values(self, span: Span | None, answers: Sequence[PlannedProvider]) -> Iterator[_Edit]:
        """Edit a state's values. `answers` has a provider for each resource in the order of the file."""
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
        """Hide values on both sides if they are sensitive on either: marks may change while the value stays."""
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
        """Hide members of an identity, which has no mask, that are sensitive as attributes or have a secret's name."""
        hidden = true_names(masks)
        for name, value in self._spans.all_members(span):
            if name in hidden or True in masks or sounds_secret(name):
                yield from self._hidden(value, True)
        yield from self._secret(span, partial(typed_steps, ""))

    def _variables(self, members: Mapping[str, Span]) -> Iterator[_Edit]:
        """Hide the values of variables that the configuration in the plan marks as sensitive or ephemeral."""
        spans = self._spans
        root = spans.member(members.get("configuration"), "root_module")
        given = spans.members(members.get("variables"))
        for name, variable in spans.members(spans.member(root, "variables")).items():
            if _hides_value(spans, variable):
                yield from self._hidden(spans.member(given.get(name), "value"), True)

    def _hidden(self, span: Span | None, mask: object) -> Iterator[_Edit]:
        yield from (_Edit(found, _HIDDEN) for found in self._spans.hidden(span, mask))


def _expression_json(key: Expression) -> bytes:
    """Return an expression as the configuration in a plan has it: its constant value, or its references.

    A reference comes first in full, then without its last step, down to the name of a value. Source: OpenTofu
    `internal/command/jsonconfig/expression.go`, marshalExpression.
    """
    if isinstance(key, Literal):
        value = key.value
        constant = format_shortest(value).encode() if isinstance(value, Number) else msgspec.json.encode(value)
        return b'{"constant_value":%b}' % constant
    found = [
        reference_text(each.root, each.steps[:length])
        for each in references(key)
        for length in range(len(each.steps), 0, -1)
    ]
    return b'{"references":[%b]}' % b",".join(map(encode_string, found))


def _by_name(container: Container) -> dict[str, Span]:
    return {item.name: item.value for item in container.items}


def _by_address(plan: ShownPlan) -> Mapping[str, list[object]]:
    """Return the masks of the changes by address, `output.NAME` for outputs. Most objects have none."""
    found: dict[str, list[object]] = {}
    for each in (*plan.resource_changes, *plan.resource_drift):
        if masks := _masks(each.change):
            found.setdefault(str(each.address), []).extend(masks)
    return found | {f"output.{name}": masks for name, each in plan.output_changes.items() if (masks := _masks(each))}


def _by_block(plan: ShownPlan) -> Mapping[BlockKey, frozenset[str]]:
    """Return the attributes of resource blocks that are sensitive in a change of one of their instances."""
    changes = [(each.address, each.change) for each in (*plan.resource_changes, *plan.resource_drift)]
    changes += [(address, each.change) for each in plan.deferred_changes for address in _some_instance(each.address)]
    found: dict[BlockKey, frozenset[str]] = {}
    for address, change in changes:
        if masks := _masks(change):
            key = address.module.module().names, str(address.resource.resource)
            found[key] = found.get(key, frozenset()) | true_names(masks)
    return found


def _some_instance(deferred: str) -> Iterator[AbsResourceInstance]:
    """Yield an instance of the block of a deferred change, whose keys may be unknown; none for an invalid address."""
    with suppress(AddressError):
        yield parse_abs_resource_instance(deferred.replace("[*]", ""))


def _masks(change: Change) -> list[object]:
    """Return the masks of a change that may be true somewhere: nearly all are `{}` or false."""
    masks = (change.before_sensitive, change.after_sensitive)
    return [decode_part(mask) for mask in masks if mask is not None and b"true" in bytes(mask)]


# Finds the secrets in the configuration that a plan's JSON repeats: constants, and defaults of variables.
# The configuration has no masks. Attributes are judged by the marks of the changes and the known secrets of the
# resource type, and otherwise by their names: in providers, provisioners and resources without instances. Values with
# the shape of a secret are hidden anywhere.


def configuration_secrets(
    spans: JSONSpans, configuration: Span | None, sensitive: Mapping[BlockKey, frozenset[str]]
) -> Iterator[Span]:
    """Yield the values to hide. `sensitive` has the attributes of resource blocks that are sensitive, even in part."""
    if configuration is not None:
        # Tokens and keys, in any place.
        text = Raw(spans.text[configuration.start : configuration.end])
        yield from spans.at(configuration, named_steps("", text))
    for provider in spans.members(spans.member(configuration, "provider_config")).values():
        yield from _sounding(spans, spans.member(provider, "expressions"))
    for names, parts in configured_modules(spans, configuration):
        for resource in spans.elements(parts.get("resources")):
            yield from _resource(spans, resource, names, sensitive)
        for output in spans.members(parts.get("outputs")).values():
            if _hides_value(spans, output):
                yield from spans.constants(spans.member(output, "expression"))
        for name, variable in spans.members(parts.get("variables")).items():
            default = spans.member(variable, "default")
            if default is not None and _hides_value(spans, variable):
                yield default
            elif default is not None:
                yield from spans.at(default, named_steps(name, Raw(spans.text[default.start : default.end])))
        for call in spans.members(parts.get("module_calls")).values():
            yield from _call(spans, spans.members(call))


def _hides_value(spans: JSONSpans, declaration: Span | None) -> bool:
    """Return whether a variable or an output is sensitive, or ephemeral, so that nothing may store its value."""
    members = spans.members(declaration)
    return any(spans.decoded(members.get(name)) is True for name in ("sensitive", "ephemeral"))


def configured_modules(
    spans: JSONSpans, configuration: Span | None
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Span]]]:
    """Yield the names of the calls of each module of a configuration, and the module's members."""
    root = spans.member(configuration, "root_module")
    waiting: list[tuple[tuple[str, ...], Span]] = [] if root is None else [((), root)]
    while waiting:
        names, module = waiting.pop()
        parts = spans.members(module)
        yield names, parts
        for name, call in spans.members(parts.get("module_calls")).items():
            inner = spans.member(call, "module")
            if inner is not None:
                waiting.append(((*names, name), inner))


def _resource(
    spans: JSONSpans, resource: Span, names: tuple[str, ...], sensitive: Mapping[BlockKey, frozenset[str]]
) -> Iterator[Span]:
    parts = spans.members(resource)
    address = spans.decoded(parts.get("address"))
    hidden = sensitive.get((names, address), frozenset()) if isinstance(address, str) else frozenset()
    hidden |= known_attributes(str(spans.decoded(parts.get("type")) or ""))
    for name, expression in spans.all_members(parts.get("expressions")):
        if name in hidden:
            yield from spans.constants(expression)
    yield from _sounding(spans, parts.get("expressions"))
    for provisioner in spans.elements(parts.get("provisioners")):
        yield from _sounding(spans, spans.member(provisioner, "expressions"))


def _call(spans: JSONSpans, call: Mapping[str, Span]) -> Iterator[Span]:
    variables = spans.members(spans.member(call.get("module"), "variables"))
    for name, expression in spans.all_members(call.get("expressions")):
        if _hides_value(spans, variables.get(name)):
            yield from spans.constants(expression)


def _sounding(spans: JSONSpans, expressions: Span | None) -> Iterator[Span]:
    """Yield the constants of arguments whose names suggest a secret, in nested blocks too."""
    waiting = [] if expressions is None else [expressions]
    while waiting:
        part = waiting.pop()
        waiting += spans.elements(part)
        for name, value in spans.all_members(part):
            if sounds_secret(name):
                yield from spans.constants(value)
            elif name != "constant_value":
                waiting.append(value)


class JSONSpans:
    """A JSON text. A value other than an object or an array has no parts."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    def member(self, span: Span | None, name: str) -> Span | None:
        """Return the value of a member of an object."""
        return self.members(span).get(name)

    def members(self, span: Span | None) -> dict[str, Span]:
        """Return the values of an object by name. The last of repeated members counts."""
        return dict(self.all_members(span))

    def all_members(self, span: Span | None) -> Iterator[tuple[str, Span]]:
        """Yield the names and values of an object, repeated ones too."""
        container = self._container(span, b"{")
        yield from () if container is None else ((item.name, item.value) for item in container.items)

    def elements(self, span: Span | None) -> Iterable[Span]:
        """Return the elements of an array."""
        container = self._container(span, b"[")
        return () if container is None else [item.value for item in container.items]

    def decoded(self, span: Span | None) -> object:
        """Decode a value; None if it is missing."""
        return None if span is None else decode_part(self.text[span.start : span.end])

    def hidden(self, span: Span | None, mask: object) -> Iterator[Span]:
        """Yield the parts of a value where the mask is true, and a part whose shape differs from its mask."""
        if span is None or not has_true(mask):
            return
        first = self.text[span.start : span.start + 1]
        if first == b"{" and isinstance(mask, dict):
            for name, part in self.all_members(span):
                yield from self.hidden(part, mask.get(name))
        elif first == b"[" and isinstance(mask, list) and len(elements := list(self.elements(span))) == len(mask):
            for part, each in zip(elements, mask, strict=True):
                yield from self.hidden(part, each)
        elif first != b"n":
            yield span

    def at(self, span: Span | None, places: Sequence[Sequence[str | int]]) -> Iterator[Span]:
        """Yield the values at the ends of paths, including repeated members; nothing for a missing path."""
        if span is None or not places:
            return
        if not all(places):
            yield span
            return
        below: dict[str | int, list[Sequence[str | int]]] = {}
        for first, *rest in places:
            below.setdefault(first, []).append(rest)
        for name, value in self.all_members(span):
            yield from self.at(value, below.get(name, ()))
        for place, value in enumerate(self.elements(span)):
            yield from self.at(value, below.get(place, ()))

    def constants(self, span: Span | None) -> Iterator[Span]:
        """Yield the values of all members `constant_value` in a value, except nested ones."""
        waiting = [] if span is None else [span]
        while waiting:
            part = waiting.pop()
            waiting += self.elements(part)
            for name, value in self.all_members(part):
                if name == "constant_value":
                    yield value
                else:
                    waiting.append(value)

    def _container(self, span: Span | None, opening: bytes) -> Container | None:
        if span is None:
            return None
        start = skip_space(self.text, span.start)
        is_wanted = self.text[start : start + 1] == opening
        return container_at(self.text, start, span.end) if is_wanted else None
