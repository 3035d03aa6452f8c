"""Finds the secrets in the configuration that a plan's JSON repeats: constants, and defaults of variables.

The configuration has no masks, so what the changes call sensitive and what is known of the resource type decide about
attributes, and the names of the arguments where nothing is known of them: those of providers, of provisioners and of
resources without instances. What has the shape of a secret is hidden anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from msgspec import Raw

from statefmt.pieces import Span
from statefmt.redaction.object_value import named_steps, sounds_secret
from statefmt.redaction.secrets import known_attributes
from statefmt.render.plan._json_spans import JSONSpans

# A resource block: the names of its module's calls, and its address there.
BlockKey: TypeAlias = tuple[tuple[str, ...], str]


def configuration_secrets(
    spans: JSONSpans, configuration: Span | None, sensitive: Mapping[BlockKey, frozenset[str]]
) -> Iterator[Span]:
    """Yield the values to hide. `sensitive` has the attributes of resource blocks that are sensitive, even in part."""
    if configuration is not None:
        # Tokens and keys, wherever they are.
        text = Raw(spans.text[configuration.start : configuration.end])
        yield from spans.at(configuration, named_steps("", text))
    for provider in spans.members(spans.member(configuration, "provider_config")).values():
        yield from _sounding(spans, spans.member(provider, "expressions"))
    root = spans.member(configuration, "root_module")
    waiting: list[tuple[tuple[str, ...], Span]] = [] if root is None else [((), root)]
    while waiting:
        names, module = waiting.pop()
        parts = spans.members(module)
        for resource in spans.elements(parts.get("resources")):
            yield from _resource(spans, resource, names, sensitive)
        for output in spans.members(parts.get("outputs")).values():
            if spans.decoded(spans.member(output, "sensitive")) is True:
                yield from spans.constants(spans.member(output, "expression"))
        for name, variable in spans.members(parts.get("variables")).items():
            default = spans.member(variable, "default")
            if default is not None and spans.decoded(spans.member(variable, "sensitive")) is True:
                yield default
            elif default is not None:
                yield from spans.at(default, named_steps(name, Raw(spans.text[default.start : default.end])))
        for name, call in spans.members(parts.get("module_calls")).items():
            inner = spans.members(call)
            yield from _call(spans, inner)
            if "module" in inner:
                waiting.append(((*names, name), inner["module"]))


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
        if spans.decoded(spans.member(variables.get(name), "sensitive")) is True:
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
