"""Finds references in expressions, and reads expressions as references instead of evaluating them.

Source: HCL `traversal_for_expr.go`, `hclsyntax/variables.go`.
"""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.hcl.syntax.expressions import (
    Bad,
    Binary,
    Call,
    Conditional,
    Expression,
    ForExpression,
    IndexExpression,
    Literal,
    ObjectExpression,
    Parentheses,
    RelativeTraversal,
    Splat,
    SplatItem,
    Template,
    TemplateJoin,
    TemplateWrap,
    Traversal,
    TupleExpression,
    Unary,
)

_KEYWORDS = {None: "null", True: "true", False: "false"}


def as_traversal(expression: Expression) -> Traversal | None:
    """Return the expression as a reference with literal steps; None if it is not one (`aws[local.x]`, a quoted string).

    Keywords are names here, as in HCL: `null.x` is the alias `x` of a provider called `null`.
    """
    if isinstance(expression, Traversal):
        return expression
    if isinstance(expression, Literal) and (expression.value is None or isinstance(expression.value, bool)):
        return Traversal(_KEYWORDS[expression.value], expression.range, (), expression.range)
    if isinstance(expression, RelativeTraversal):
        source = as_traversal(expression.source)
        if source is None:
            return None
        return Traversal(source.root, source.root_range, source.steps + expression.steps, expression.range)
    return None


def as_keyword(expression: Expression) -> str | None:
    """Return the name if the expression is a single name: `string`, `aws`, `null`; else None."""
    found = as_traversal(expression)
    return found.root if found is not None and not found.steps else None


def references(expression: Expression) -> Iterator[Traversal]:
    """Yield every reference in source order, except to names that a `for` in the expression declares."""
    yield from _walk(expression, frozenset())


def calls(expression: Expression) -> Iterator[Call]:
    """Yield every function call in an expression, outer calls first."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Call):
            yield part
        if isinstance(part, TemplateJoin):
            waiting.append(part.loop)
        elif isinstance(part, ForExpression):
            found = (part.condition, part.value, part.key, part.collection)
            waiting += [each for each in found if each is not None]
        elif not isinstance(part, Traversal):
            waiting += reversed(_parts(part))


def _walk(expression: Expression, bound: frozenset[str]) -> Iterator[Traversal]:
    if isinstance(expression, Traversal):
        if expression.root not in bound:
            yield expression
    elif isinstance(expression, TemplateJoin):
        yield from _walk(expression.loop, bound)
    elif isinstance(expression, ForExpression):
        yield from _walk(expression.collection, bound)
        inside = bound | {expression.key_name, expression.value_name} - {""}
        for part in (expression.key, expression.value, expression.condition):
            if part is not None:
                yield from _walk(part, inside)
    else:
        for part in _parts(expression):
            yield from _walk(part, bound)


def _parts(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case RelativeTraversal(source=source):
            return (source,)
        case IndexExpression(collection=collection, key=key):
            return collection, key
        case Splat(source=source, each=each):
            return source, each
        case TupleExpression(items=items):
            return items
        case ObjectExpression(items=items):
            # A bare key is a name, not a reference.
            return tuple(part for item in items for part in ((item.value,) if item.bare else (item.key, item.value)))
        case Conditional(condition=condition, yes=yes, no=no):
            return condition, yes, no
        case Binary(left=left, right=right):
            return left, right
        case Unary(operand=operand):
            return (operand,)
        case Parentheses(inner=inner) | TemplateWrap(inner=inner):
            return (inner,)
        case Call(arguments=arguments):
            return arguments
        case Template(parts=parts):
            return parts
        case _:
            assert isinstance(expression, (Literal, SplatItem, Bad))
            return ()
