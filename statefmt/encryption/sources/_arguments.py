"""From expressions to the values of an encryption configuration. What cannot be known says why, and where."""

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
from statefmt.hcl.syntax.expressions import (
    AttributeAccess,
    Expression,
    Literal,
    Parentheses,
    TemplateWrap,
    Traversal,
)
from statefmt.hcl.syntax.references import as_traversal, references
from statefmt.hcl.value import Part, Unknown, UnknownKind
from statefmt.hcl.values.construct import first_unknown
from statefmt.hcl.values.names import NoNames

METHOD: Final = "method"
_KEY_PROVIDER: Final = "key_provider"
# OpenTofu reads them before anything can be referred to.
_LITERAL: Final = frozenset({"enforced", ALIAS})
_SECRET: Final = frozenset({"passphrase", "keys", "chain"})
# Of no other kind: there, a reason may quote a text that should have been in quotation marks: a passphrase.
_TOLD: Final = frozenset(UnknownKind) - {UnknownKind.OTHER}
_UNTOLD: Final = "it is no expression whose value can be known before a plan; a text stands in double quotes"


def method_value(argument: Argument, *, json: bool) -> ArgumentValue:
    """What the argument `method` of a target is: a reference, in JSON as a text, and no other expression."""
    if json:
        text = _text(argument.expression)
        found = None if text is None else parse_reference(text)
    else:
        traversal = as_traversal(argument.expression)
        found = None if traversal is None else _reference(traversal)
    return Unread("must name a method, method.TYPE.NAME, and be no other expression") if found is None else found


def argument_value(argument: Argument, surroundings: SourceSurroundings, *, json: bool) -> ArgumentValue:
    """The value of any other argument; a reference to a key provider stays one."""
    inner = _unwrapped(argument.expression)
    if argument.name in _LITERAL:
        found = evaluate(inner, NoNames())
        return _value(found) if first_unknown((found,)) is None else Unread("nothing may be referred to here")
    text = _text(argument.expression)
    if json and argument.name == "chain" and text is not None:
        return parse_reference(text) or text
    traversal = as_traversal(inner)
    if traversal is not None and traversal.root == _KEY_PROVIDER:
        return _reference(traversal) or Unread("must name a key provider, key_provider.TYPE.NAME, and no part of it")
    if any(reference.root == _KEY_PROVIDER for reference in references(inner)):
        return Unread("a key provider is named by an argument, and not used in an expression")
    part = evaluate(inner, surroundings.for_secrets if argument.name in _SECRET else surroundings)
    unknown = first_unknown((part,))
    return _value(part) if unknown is None else Unread(_reason(unknown, argument.range, surroundings))


def is_constant(argument: Argument) -> bool:
    """Whether the value is the same everywhere: no names, and no functions, which may read files."""
    return first_unknown((evaluate(argument.expression, NoNames()),)) is None


def _unwrapped(expression: Expression) -> Expression:
    """An expression without parentheses, and without the quotes of a template that is one interpolation."""
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
    """A part that is known, as encryption has values. That it is sensitive does not matter: all of it is."""
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
            # Not the reason, which has a part of the text in it.
            return Unread("it is not UTF-8")
    return data


def _reason(unknown: Unknown, own: Range, surroundings: SourceSurroundings) -> str:
    """Why a value cannot be known; and where the reason is, if that is somewhere else."""
    if unknown.problem is not None:
        reason = f"OpenTofu would refuse it: {unknown.problem.summary}"
    else:
        reason = unknown.reason if unknown.kind in _TOLD else _UNTOLD
    place = unknown.range
    if place is None or not place.file or (place.file == own.file and own.start <= place.start < own.stop):
        return reason
    return f"{reason}; see {surroundings.place(place)}"
