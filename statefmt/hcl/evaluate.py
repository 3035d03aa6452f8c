"""Evaluates expressions in a scope, to a value or to the reason why it is unknown.

Both sides of a conditional get one type, and an error in the side not taken does not matter. Source: HCL
`hclsyntax/expression.go`, `expression_template.go`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from statefmt.golang import quote
from statefmt.hcl.functions import call_function
from statefmt.hcl.operations import (
    ConversionError,
    Names,
    NoNames,
    apply_binary,
    apply_unary,
    convert,
    get_index,
    result_type,
    settles,
    step_into,
)
from statefmt.hcl.source import Range
from statefmt.hcl.syntax import (
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
    as_keyword,
)
from statefmt.hcl.value import (
    EMPTY_TUPLE,
    Part,
    Refusal,
    Unknown,
    UnknownKind,
    Value,
    as_unknown,
    children,
    first_unknown,
    list_of,
    marked,
    number,
    object_of,
    retyped,
    text,
    tuple_of,
)
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    DynamicType,
    ListType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
    object_type,
    type_name,
)
from statefmt.model.cty.number import Number as CtyNumber
from statefmt.model.cty.unify import has_dynamic, unify

if TYPE_CHECKING:
    from statefmt.hcl.operations import Evaluator


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
        """Ignore an error in one operand if the other operand decides the result (since OpenTofu 1.10)."""
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


def choose(evaluation: Evaluator, expression: Conditional) -> Part:
    """Evaluate a conditional. Raises Refusal."""
    yes, no = _try(evaluation, expression.yes), _try(evaluation, expression.no)
    common = _common_type(expression, yes, no)
    condition = evaluation.value(expression.condition)
    if isinstance(condition, Value) and condition.data is None:
        detail = "The condition value is null. Conditions must either be true or false."
        raise Refusal("Null condition", detail, expression.condition.range)
    sensitive = any(part.sensitive for part in (condition, yes, no) if not isinstance(part, Refusal))
    try:
        condition = convert(condition, BOOL)
    except ConversionError:
        detail = "The condition expression must be of type bool."
        raise Refusal("Incorrect condition type", detail, expression.condition.range) from None
    if isinstance(condition, Unknown):
        if all(isinstance(part, Value) and part.data is None for part in (yes, no)):
            return marked(Value(common, None), sensitive)
        return marked(retyped(condition, common), sensitive)
    taken, which = (yes, "true") if condition.data else (no, "false")
    if isinstance(taken, Refusal):
        raise taken.of_type(common)
    other = no if condition.data else yes
    if isinstance(other, Unknown) and _may_change(taken, other):
        reason = f"its type depends on the other side of the conditional, and {other.reason}"
        return Unknown(reason, other.range, sensitive=sensitive)
    try:
        return marked(convert(taken, common), sensitive)
    except ConversionError as error:
        place = (expression.yes if which == "true" else expression.no).range
        detail = f"The {which} result value has the wrong type: {error}."
        raise Refusal("Inconsistent conditional result types", detail, place) from None


def _try(evaluation: Evaluator, expression: Expression) -> Part | Refusal:
    try:
        return evaluation.value(expression)
    except Refusal as refusal:
        return refusal


def _common_type(expression: Conditional, yes: Part | Refusal, no: Part | Refusal) -> Type:
    if _is_bare_null(yes):
        return no.type
    if _is_bare_null(no):
        return yes.type
    if isinstance(yes.type, DynamicType) or isinstance(no.type, DynamicType):
        return DYNAMIC
    found = unify((yes.type, no.type))
    if found is not None:
        return found
    if _knows_less(yes) or _knows_less(no):
        # OpenTofu may know these types from the schemas of providers.
        return DYNAMIC
    detail = (
        "The true and false result expressions must have consistent types. "
        f"The 'true' value is {type_name(yes.type)}, but the 'false' value is {type_name(no.type)}."
    )
    place = expression.yes.range.to(expression.no.range)
    raise Refusal("Inconsistent conditional result types", detail, place)


def _knows_less(part: Part | Refusal) -> bool:
    return has_dynamic(part.type) and (isinstance(part, Refusal) or first_unknown((part,)) is not None)


def _may_change(taken: Part, other: Unknown) -> bool:
    """Return whether the type of the side not taken, which OpenTofu may know, could change the value of the side taken.

    A string stays a string, and collections keep their keys; but a number may become a string, and a tuple a set.
    """
    unsettled = other.problem is None and isinstance(other.type, DynamicType)
    return (
        unsettled and isinstance(taken, Value) and (taken.type in (NUMBER, BOOL) or isinstance(taken.type, TupleType))
    )


def _is_bare_null(part: Part | Refusal) -> bool:
    return isinstance(part, Value) and part.data is None and isinstance(part.type, DynamicType)


def evaluate_for(evaluation: Evaluator, expression: ForExpression) -> Part:
    """Evaluate a `for` to a tuple, or with a key to an object. Raises Refusal."""
    collection = evaluation.value(expression.collection)
    place = expression.collection.range
    if isinstance(collection, Value) and collection.data is None:
        detail = "A null value cannot be used as the collection in a 'for' expression."
        raise Refusal("Iteration over null value", detail, place)
    if isinstance(collection.type, PrimitiveType):
        detail = f"A value of type {type_name(collection.type)} cannot be used as the collection in a 'for' expression."
        raise Refusal("Iteration over non-iterable value", detail, place)
    if isinstance(collection, Unknown):
        return retyped(collection, DYNAMIC)
    loop = _Loop(evaluation, expression, collection.sensitive)
    if not children(collection):
        loop.check_condition()
    for key, item in elements(collection):
        loop.step(key, item)
    return loop.result()


def elements(collection: Value) -> Iterator[tuple[Part, Part]]:
    """Yield the keys and elements of a collection. Keys are names, positions, or for a set the elements themselves."""
    if isinstance(collection.data, Mapping):
        for name, item in collection.data.items():
            yield Value(STRING, name), item
    else:
        is_set = isinstance(collection.type, SetType)
        for place, item in enumerate(children(collection)):
            yield (item if is_set else number(place)), item


class _Loop:
    """The accumulated result of a `for`. One unknown condition or key makes the whole result unknown."""

    def __init__(self, evaluation: Evaluator, expression: ForExpression, sensitive: bool) -> None:
        self._evaluation = evaluation
        self._expression = expression
        self._sensitive = sensitive
        self._unknown: Unknown | None = None
        self._items: list[Part] = []
        self._named: dict[str, Part] = {}
        self._groups: dict[str, list[Part]] = {}

    def step(self, key: Part, item: Part) -> None:
        expression = self._expression
        bound = {expression.value_name: item}
        if expression.key_name:
            bound = {expression.key_name: key, **bound}
        inside = self._evaluation.with_names(bound)
        if expression.condition is not None and not self._included(inside, expression.condition):
            return
        if expression.key is None:
            self._items.append(inside.value(expression.value))
            return
        name = self._name(inside, expression.key)
        value = inside.value(expression.value)
        if name is None:
            return
        if expression.group:
            self._groups.setdefault(name, []).append(value)
        elif name in self._named:
            grouping = "use the ellipsis (...) after the value expression to enable grouping by key"
            detail = (
                f"Two different items produced the key {quote(name)} in this 'for' expression. "
                f"If duplicates are expected, {grouping}."
            )
            raise Refusal("Duplicate object key", detail, expression.key.range)
        else:
            self._named[name] = value

    def check_condition(self) -> None:
        """Check the condition of a loop without elements, as OpenTofu does."""
        expression = self._expression
        if expression.condition is not None:
            nothing: Part = Unknown("there are no elements", expression.range)
            names = {name: nothing for name in (expression.key_name, expression.value_name) if name}
            self._included(self._evaluation.with_names(names), expression.condition)
            self._unknown = None

    def _included(self, inside: Evaluator, condition: Expression) -> bool:
        part = inside.value(condition)
        if isinstance(part, Value) and part.data is None:
            raise Refusal("Invalid 'for' condition", "The value of the 'if' clause must not be null.", condition.range)
        self._sensitive = self._sensitive or part.sensitive
        try:
            part = convert(part, BOOL)
        except ConversionError as error:
            detail = f"The 'if' clause value is invalid: {error}."
            raise Refusal("Invalid 'for' condition", detail, condition.range) from None
        if isinstance(part, Unknown):
            self._unknown = self._unknown or part
            return False
        return part.data is True

    def _name(self, inside: Evaluator, key: Expression) -> str | None:
        part = inside.value(key)
        if isinstance(part, Value) and part.data is None:
            detail = "Key expression in 'for' expression must not produce a null value."
            raise Refusal("Invalid object key", detail, key.range)
        self._sensitive = self._sensitive or part.sensitive
        try:
            part = convert(part, STRING)
        except ConversionError as error:
            raise Refusal(
                "Invalid object key", f"The key expression produced an invalid result: {error}.", key.range
            ) from None
        if isinstance(part, Unknown):
            self._unknown = self._unknown or part
            return None
        return str(part.data)

    def result(self) -> Part:
        found: Part
        if self._unknown is not None:
            found = retyped(self._unknown, DYNAMIC)
        elif self._expression.key is None:
            found = tuple_of(self._items)
        elif self._expression.group:
            found = object_of({name: tuple_of(items) for name, items in self._groups.items()})
        else:
            found = object_of(self._named)
        return marked(found, self._sensitive)


def evaluate_splat(evaluation: Evaluator, expression: Splat) -> Part:
    """Evaluate a splat to the list or tuple of its results for each element. Raises Refusal.

    A value that is not a sequence counts as a sequence of one element, or of none if it is null.
    """
    source = evaluation.value(expression.source)
    single = not isinstance(source.type, (TupleType, ListType, SetType))
    if isinstance(source, Unknown):
        # Even if the type is known, the value may be null.
        return retyped(source, DYNAMIC)
    if source.data is None:
        if single:
            return marked(EMPTY_TUPLE, source.sensitive)
        detail = "Splat expressions (with the * symbol) cannot be applied to null sequences."
        raise Refusal("Splat of null value", detail, expression.source.range)
    parts = (source,) if single else children(source)
    found = [evaluation.with_item(expression.item, part).value(expression.each) for part in parts]
    if single or isinstance(source.type, TupleType):
        return marked(tuple_of(found), source.sensitive)
    if not found:
        element = source.type.element  # type: ignore[union-attr]
        hollow = Unknown("the list is empty", expression.range, element)
        of = evaluation.with_item(expression.item, hollow).value(expression.each).type
        return marked(list_of(of, ()), source.sensitive)
    types = {str(part.type): part.type for part in found if not isinstance(part.type, DynamicType)}
    if len(types) > 1:
        detail = "The second level of splat expression produced elements of different types."
        raise Refusal("Invalid nested splat expressions", detail, expression.each.range)
    return marked(list_of(next(iter(types.values()), DYNAMIC), found), source.sensitive)


def join_texts(part: Part, place: Range) -> Part:
    """Concatenate the strings of a `%{ for }`. Raises Refusal."""
    if isinstance(part, Unknown):
        return retyped(part, STRING)
    texts: list[str] = []
    sensitive = part.sensitive
    for item in children(part):
        sensitive = sensitive or item.sensitive
        if isinstance(item, Unknown):
            return marked(retyped(item, STRING), sensitive)
        try:
            converted = convert(item, STRING)
        except ConversionError as error:
            detail = f"Cannot include one of the interpolation results into the string template: {error}."
            raise Refusal("Invalid template interpolation value", detail, place) from None
        assert isinstance(converted, Value)
        texts.append(str(converted.data))
    return marked(text("".join(texts)), sensitive)
