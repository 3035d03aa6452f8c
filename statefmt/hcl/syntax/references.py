"""What an expression refers to, and expressions that are to be read as references instead of being evaluated.

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
    """The expression as a reference of literal steps; None if it is not one (`aws[local.x]`, a quoted string).

    The keywords are names here, as in HCL: `null.x` is the alias `x` of a provider that is called `null`.
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
    """The word that an expression is, without steps: `string`, `aws`, `null`."""
    found = as_traversal(expression)
    return found.root if found is not None and not found.steps else None


def references(expression: Expression) -> Iterator[Traversal]:
    """Every reference in an expression, in the order of the text, without the names that a `for` in it declares."""
    yield from _walk(expression, frozenset())


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
            # A bare key is a word that stands for itself.
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
