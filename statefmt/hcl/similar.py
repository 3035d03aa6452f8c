"""Detects `for_each` expressions so similar that they lose an element at the same time.

Source: RFC "Static Evaluation of Provider Iteration" (what is "too similar"); OpenTofu
`internal/configs/provider_validation.go`, providerIterationIdentical.
"""

from __future__ import annotations

from statefmt.hcl.syntax import (
    Access,
    AttributeAccess,
    Binary,
    Call,
    Conditional,
    Expression,
    ForExpression,
    IndexAccess,
    IndexExpression,
    Literal,
    ObjectExpression,
    Parentheses,
    RelativeTraversal,
    Template,
    Traversal,
    TupleExpression,
    Unary,
    references,
)


def too_similar(one: Expression, other: Expression) -> bool:
    """Return whether both get their elements from the same source. Without references, an expression has no source."""
    return next(references(one), None) is not None and next(references(other), None) is not None and _alike(one, other)


def _alike(one: Expression | None, other: Expression | None) -> bool:
    """Compare two expressions part by part; False for kinds of expressions not listed here."""
    if one is None or other is None:
        return one is other
    if isinstance(one, Parentheses):
        return _alike(one.inner, other)
    if isinstance(other, Parentheses):
        return _alike(one, other.inner)
    match one, other:
        case Traversal(), Traversal():
            return one.root == other.root and _same_steps(one.steps, other.steps)
        case RelativeTraversal(), RelativeTraversal():
            return _same_steps(one.steps, other.steps) and _alike(one.source, other.source)
        case Literal(), Literal():
            return type(one.value) is type(other.value) and one.value == other.value
        case Call(), Call():
            return one.name == other.name and _all_alike(one.arguments, other.arguments)
        case Conditional(), Conditional():
            return _all_alike((one.condition, one.yes, one.no), (other.condition, other.yes, other.no))
        case IndexExpression(), IndexExpression():
            return _all_alike((one.collection, one.key), (other.collection, other.key))
        case TupleExpression(), TupleExpression():
            return _all_alike(one.items, other.items)
        case ObjectExpression(), ObjectExpression():
            return _all_alike(_members(one), _members(other))
        case ForExpression(), ForExpression():
            return _head(one) == _head(other) and _all_alike(_for_parts(one), _for_parts(other))
        case Binary(), Binary():
            return one.operator == other.operator and _all_alike((one.left, one.right), (other.left, other.right))
        case Unary(), Unary():
            return one.operator == other.operator and _alike(one.operand, other.operand)
        case Template(), Template():
            return _all_alike(one.parts, other.parts)
        case _:
            return False


def _all_alike(some: tuple[Expression | None, ...], others: tuple[Expression | None, ...]) -> bool:
    return len(some) == len(others) and all(map(_alike, some, others))


def _same_steps(some: tuple[Access, ...], others: tuple[Access, ...]) -> bool:
    """Compare steps by kind and by name or key: `a.b` and `a["b"]` differ."""
    return [_plain(step) for step in some] == [_plain(step) for step in others]


def _plain(step: Access) -> tuple[str, object]:
    match step:
        case AttributeAccess(name=name):
            return "attribute", name
        case IndexAccess(key=key):
            return "index", key


def _members(expression: ObjectExpression) -> tuple[Expression, ...]:
    return tuple(part for item in expression.items for part in (item.key, item.value))


def _head(expression: ForExpression) -> tuple[str, str, bool]:
    return expression.key_name, expression.value_name, expression.group


def _for_parts(expression: ForExpression) -> tuple[Expression | None, ...]:
    return expression.collection, expression.key, expression.value, expression.condition
