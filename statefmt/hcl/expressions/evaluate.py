"""Evaluates expressions in a scope, to a value or to the reason why it is unknown.

Source: HCL `hclsyntax/expression.go`, `expression_template.go`.
"""

from __future__ import annotations

from statefmt.hcl.expressions._conditional import choose
from statefmt.hcl.expressions._iteration import evaluate_for, evaluate_splat, join_texts
from statefmt.hcl.functions import call_function
from statefmt.hcl.syntax.expressions import (
    Access,
    Bad,
    Binary,
    Call,
    Conditional,
    Expression,
    ForExpression,
    IndexExpression,
    Literal,
    ObjectExpression,
    ObjectItem,
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
from statefmt.hcl.syntax.references import as_keyword
from statefmt.hcl.value import Part, Unknown, UnknownKind, Value
from statefmt.hcl.values.access import get_index, step_into
from statefmt.hcl.values.construct import marked, object_of, retyped, text, tuple_of
from statefmt.hcl.values.conversion import ConversionError, convert
from statefmt.hcl.values.names import Names, NoNames
from statefmt.hcl.values.operators import apply_binary, apply_unary, result_type, settles
from statefmt.hcl.values.refusal import Refusal, as_unknown
from statefmt.model.cty import BOOL, DYNAMIC, NUMBER, STRING, Number as CtyNumber, TupleType, Type
from statefmt.model.cty.types import object_type


def evaluate(expression: Expression, names: Names) -> Part:
    """Return the value of an expression: a `Value` (possibly with unknown parts) or an `Unknown` with its reason.

    `names` is a `Scope`. Never raises for anything a configuration can contain. If OpenTofu would refuse the
    expression, the result is an `Unknown` with a `problem` in OpenTofu's words.
    """
    try:
        return Evaluation(names).value(expression)
    except Refusal as refusal:
        return as_unknown(refusal.problem)
    except RecursionError:
        return Unknown("the expression is nested too deeply", expression.range, kind=UnknownKind.NESTING)


def evaluate_literal(expression: Expression) -> Part:
    """Return the value of an expression that may not contain references or function calls."""
    return evaluate(expression, NoNames())


class Evaluation:
    """An evaluation in a scope, with names bound to the current elements of `for` expressions and splats."""

    def __init__(
        self, names: Names, bound: dict[str, Part] | None = None, items: dict[int, Part] | None = None
    ) -> None:
        self.names = names
        self._bound = bound or {}
        self._items = items or {}

    def with_names(self, bound: dict[str, Part]) -> Evaluation:
        """Return the evaluation with more names."""
        return Evaluation(self.names, {**self._bound, **bound}, self._items)

    def with_item(self, item: SplatItem, part: Part) -> Evaluation:
        """Return the evaluation with the current element of a splat."""
        return Evaluation(self.names, self._bound, {**self._items, id(item): part})

    @staticmethod
    def elsewhere(expression: Expression, names: Names) -> Part:
        """Evaluate an expression in another scope. Raises Refusal."""
        return Evaluation(names).value(expression)

    def value(self, expression: Expression) -> Part:
        """Evaluate an expression. Raises Refusal."""
        match expression:
            case Literal(value=value):
                return _literal(value)
            case Traversal():
                return self._reference(expression)
            case SplatItem():
                return self._items[id(expression)]
            case Parentheses(inner=inner) | TemplateWrap(inner=inner):
                return self.value(inner)
            case TupleExpression():
                return self._tuple(expression)
            case ObjectExpression():
                return self._object(expression)
            case Conditional():
                return choose(self, expression)
            case Bad(reason=reason, kind=kind):
                return Unknown(reason, expression.range, kind=kind)
        try:
            return self._combined(expression)
        except Refusal as refusal:
            raise refusal.of_type(_type_of_failure(expression)) from None

    def _combined(self, expression: Expression) -> Part:
        """Evaluate an expression whose type, if a part of it is refused, does not depend on its other parts."""
        match expression:
            case RelativeTraversal(source=source, steps=steps):
                return _walk(self.value(source), steps)
            case IndexExpression(collection=collection, key=key):
                return get_index(self.value(collection), self.value(key), expression.range)
            case Splat():
                return evaluate_splat(self, expression)
            case ForExpression():
                return evaluate_for(self, expression)
            case Call():
                return call_function(self, expression)
            case Binary() | Unary():
                return self._operation(expression)
            case Template() | TemplateJoin():
                return self._text(expression)
        raise AssertionError(expression)

    def _operation(self, expression: Binary | Unary) -> Part:
        if isinstance(expression, Unary):
            return apply_unary(expression, self.value(expression.operand))
        if expression.operator in ("&&", "||"):
            return self._logical(expression)
        return apply_binary(expression, self.value(expression.left), self.value(expression.right))

    def _tried(self, expression: Expression) -> Part | Refusal:
        try:
            return self.value(expression)
        except Refusal as refusal:
            return refusal

    def _tuple(self, expression: TupleExpression) -> Part:
        items = [self._tried(item) for item in expression.items]
        for item in items:
            if isinstance(item, Refusal):
                raise item.of_type(TupleType(tuple(each.type for each in items)))
        return tuple_of([item for item in items if not isinstance(item, Refusal)])

    def _logical(self, expression: Binary) -> Part:
        """Ignore an error on one side if the other side decides the result (since OpenTofu 1.10)."""
        left, right = self._tried(expression.left), self._tried(expression.right)
        if isinstance(left, Refusal):
            if isinstance(right, Refusal) or not settles(expression, right):
                raise left
            return right
        if isinstance(right, Refusal):
            if not settles(expression, left):
                raise right
            return left
        return apply_binary(expression, left, right)

    def _reference(self, expression: Traversal) -> Part:
        if expression.root in self._bound:
            return _walk(self._bound[expression.root], expression.steps)
        part, rest = self.names.resolve(expression)
        return _walk(part, rest)

    def _object(self, expression: ObjectExpression) -> Part:
        found: dict[str, Part] = {}
        types: dict[str, Type] = {}
        unknown: Unknown | None = None
        refused: Refusal | None = None
        sensitive = False
        for item in expression.items:
            key = self._key(item)
            sensitive = sensitive or key.sensitive
            value = self._tried(item.value)
            if isinstance(key, Unknown):
                unknown = unknown or key
                continue
            if key.data is None:
                raise Refusal("Null value as key", "Can't use a null value as a key.", item.key.range)
            try:
                name = convert(key, STRING)
            except ConversionError as error:
                raise Refusal(
                    "Incorrect key type", f"Can't use this value as a key: {error}.", item.key.range
                ) from None
            assert isinstance(name, Value)
            assert isinstance(name.data, str)
            types[name.data] = value.type
            if isinstance(value, Refusal):
                refused = refused or value
            else:
                # A repeated key silently replaces the earlier one.
                found[name.data] = value
        if refused is not None:
            raise refused.of_type(object_type(types) if unknown is None else DYNAMIC)
        return marked(object_of(found) if unknown is None else retyped(unknown, DYNAMIC), sensitive)

    def _key(self, item: ObjectItem) -> Part:
        if item.bare:
            return text(as_keyword(item.key) or "")
        if isinstance(item.key, Traversal):
            detail = (
                "If this expression is intended to be a reference, wrap it in parentheses. "
                "If it's instead intended as a literal name containing periods, wrap it in quotes to create a string."
            )
            raise Refusal("Ambiguous attribute key", detail, item.key.range)
        return self.value(item.key)

    def _text(self, expression: Template | TemplateJoin) -> Part:
        if isinstance(expression, TemplateJoin):
            return join_texts(evaluate_for(self, expression.loop), expression.range)
        texts: list[str] = []
        unknown: Unknown | None = None
        sensitive = False
        for piece in expression.parts:
            part = self.value(piece)
            sensitive = sensitive or part.sensitive
            if isinstance(part, Value) and part.data is None:
                detail = "The expression result is null. Cannot include a null value in a string template."
                raise Refusal("Invalid template interpolation value", detail, piece.range)
            try:
                part = convert(part, STRING)
            except ConversionError as error:
                detail = f"Cannot include the given value in a string template: {error}."
                raise Refusal("Invalid template interpolation value", detail, piece.range) from None
            if isinstance(part, Unknown):
                unknown = unknown or part
            else:
                texts.append(str(part.data))
        return marked(text("".join(texts)) if unknown is None else retyped(unknown, STRING), sensitive)


def _type_of_failure(expression: Expression) -> Type:
    if isinstance(expression, (Binary, Unary)):
        return result_type(expression)
    return STRING if isinstance(expression, (Template, TemplateJoin)) else DYNAMIC


def _literal(value: bool | CtyNumber | str | None) -> Value:
    if value is None:
        return Value(DYNAMIC, None)
    if isinstance(value, bool):
        return Value(BOOL, value)
    return Value(STRING, value) if isinstance(value, str) else Value(NUMBER, value)


def _walk(part: Part, steps: tuple[Access, ...]) -> Part:
    for step in steps:
        part = step_into(part, step)
    return part
