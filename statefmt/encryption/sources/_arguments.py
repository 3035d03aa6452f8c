"""Evaluates the expressions of an encryption configuration, or explains why a value is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.encryption import ArgumentValue, Reference, Unread
from statefmt.encryption.configuration.model import ALIAS
from statefmt.encryption.configuration.values import parse_reference
from statefmt.encryption.sources._surroundings import SourceSurroundings
from statefmt.hcl.expressions.evaluate import evaluate
from statefmt.hcl.source.position import Range
from statefmt.hcl.syntax.body import Argument
from statefmt.hcl.syntax.expressions import AttributeAccess, Expression, Literal, Parentheses, TemplateWrap, Traversal
from statefmt.hcl.syntax.references import as_traversal, references
from statefmt.hcl.value import Part, Unknown, UnknownKind
from statefmt.hcl.values.construct import first_unknown
from statefmt.hcl.values.names import NoNames

METHOD: Final = "method"
_KEY_PROVIDER: Final = "key_provider"
# OpenTofu reads these before references can be resolved.
_LITERAL: Final = frozenset({"enforced", ALIAS})
_SECRET: Final = frozenset({"passphrase", "keys", "chain"})
# The reasons of the kind OTHER may quote the text, such as a passphrase without quotation marks.
_TOLD: Final = frozenset(UnknownKind) - {UnknownKind.OTHER}
_UNTOLD: Final = "the value of this expression is unknown before a plan; a string needs double quotes"


def method_value(argument: Argument, *, json: bool) -> ArgumentValue:
    """Read the argument `method` of a target: only a reference, in JSON as a string."""
    if json:
        text = _text(argument.expression)
        found = None if text is None else parse_reference(text)
    else:
        traversal = as_traversal(argument.expression)
        found = None if traversal is None else _reference(traversal)
    return Unread("must name a method: method.TYPE.NAME") if found is None else found


def argument_value(argument: Argument, surroundings: SourceSurroundings, *, json: bool) -> ArgumentValue:
    """Evaluate any other argument; a reference to a key provider stays a reference."""
    inner = _unwrapped(argument.expression)
    if argument.name in _LITERAL:
        found = evaluate(inner, NoNames())
        return _value(found) if first_unknown((found,)) is None else Unread("references are not allowed here")
    text = _text(argument.expression)
    if json and argument.name == "chain" and text is not None:
        return parse_reference(text) or text
    traversal = as_traversal(inner)
    if traversal is not None and traversal.root == _KEY_PROVIDER:
        return _reference(traversal) or Unread("must be a key provider (key_provider.TYPE.NAME), not a part of one")
    if any(reference.root == _KEY_PROVIDER for reference in references(inner)):
        return Unread("a key provider cannot be used inside an expression")
    part = evaluate(inner, surroundings.for_secrets if argument.name in _SECRET else surroundings)
    unknown = first_unknown((part,))
    return _value(part) if unknown is None else Unread(_reason(unknown, argument.range, surroundings))


def is_constant(argument: Argument) -> bool:
    """Return whether a value is constant: without names and functions, which may read files."""
    return first_unknown((evaluate(argument.expression, NoNames()),)) is None


def _unwrapped(expression: Expression) -> Expression:
    """Remove parentheses, and the quotes of a template that is a single interpolation."""
    while isinstance(expression, (Parentheses, TemplateWrap)):
        expression = expression.inner
    return expression


def _text(expression: Expression) -> str | None:
    value = expression.value if isinstance(expression, Literal) else None
    return value if isinstance(value, str) else None


def _reference(traversal: Traversal) -> Reference | None:
    names = [step.name for step in traversal.steps if isinstance(step, AttributeAccess)]
    if len(names) < len(traversal.steps):
        return None
    return parse_reference(".".join((traversal.root, *names)))


def _value(part: Part) -> ArgumentValue:
    """Convert a known part to an argument value; ignores whether it is sensitive, since all of them are secret."""
    assert not isinstance(part, Unknown)
    data = part.data
    if isinstance(data, tuple):
        return [_value(item) for item in data]
    if isinstance(data, Mapping):
        return {name: _value(item) for name, item in data.items()}
    if isinstance(data, str):
        try:
            data.encode("utf-8")
        except UnicodeEncodeError:
            # The reason quotes a part of the text, so it is not shown.
            return Unread("it is not UTF-8")
    return data


def _reason(unknown: Unknown, own: Range, surroundings: SourceSurroundings) -> str:
    """Return the reason why a value is unknown, with its position if that is elsewhere."""
    if unknown.problem is not None:
        reason = f"OpenTofu would refuse it: {unknown.problem.summary}"
    else:
        reason = unknown.reason if unknown.kind in _TOLD else _UNTOLD
    place = unknown.range
    if place is None or not place.file or (place.file == own.file and own.start <= place.start < own.stop):
        return reason
    return f"{reason}; see {surroundings.place(place)}"
