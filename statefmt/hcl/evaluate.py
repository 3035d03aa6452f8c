"""Evaluates expressions in a scope, to a value or to the reason why it is unknown.

Both sides of a conditional get one type, and an error in the side not taken does not matter. Source: HCL
`hclsyntax/expression.go`, `expression_template.go`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statefmt.golang import quote
from statefmt.hcl.functions import call_function
from statefmt.hcl.operations import (
    ConversionError,
    Names,
    NoNames,
    apply_binary,
    apply_unary,
    convert,
    convert_or_refuse,
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


def evaluate(expression: Expression, names: Names, bound: dict[str, Part] | None = None) -> Part:
    """Return the value of an expression: a `Value` (possibly with unknown parts) or an `Unknown` with its reason.

    `names` is a `Scope`, `bound` the iterators of enclosing `dynamic` blocks. Never raises for anything a configuration
    can contain. If OpenTofu would refuse the expression, the result is an `Unknown` with a `problem` in its words.
    """
    try:
        return Evaluation(names, bound).value(expression)
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
        """Return the evaluation with additional names."""
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
        """Evaluate an expression whose type, if a part is refused, does not depend on its other parts."""
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
            case Unary(operand=operand):
                return apply_unary(expression, self.value(operand))
            case Binary(operator="&&" | "||"):
                return self._logical(expression)
            case Binary(left=left, right=right):
                return apply_binary(expression, self.value(left), self.value(right))
            case Template() | TemplateJoin():
                return self._text(expression)
        raise AssertionError(expression)

    def tried(self, expression: Expression) -> Part | Refusal:
        """Evaluate an expression, and return the Refusal if there is one."""
        try:
            return self.value(expression)
        except Refusal as refusal:
            return refusal

    def _tuple(self, expression: TupleExpression) -> Part:
        items = [self.tried(item) for item in expression.items]
        for item in items:
            if isinstance(item, Refusal):
                raise item.of_type(TupleType(tuple(each.type for each in items)))
        return tuple_of([item for item in items if not isinstance(item, Refusal)])

    def _logical(self, expression: Binary) -> Part:
        """Ignore an error in one operand if the other operand decides the result (since OpenTofu 1.10)."""
        left, right = self.tried(expression.left), self.tried(expression.right)
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
            value = self.tried(item.value)
            if isinstance(key, Unknown):
                unknown = unknown or key
                continue
            if key.data is None:
                raise Refusal("Null value as key", "Can't use a null value as a key.", item.key.range)
            detail = "Can't use this value as a key"
            name = convert_or_refuse(key, STRING, "Incorrect key type", detail, item.key.range)
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
            detail = "Cannot include the given value in a string template"
            part = convert_or_refuse(part, STRING, "Invalid template interpolation value", detail, piece.range)
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


def choose(evaluation: Evaluation, expression: Conditional) -> Part:
    """Evaluate a conditional. Raises Refusal."""
    yes, no = evaluation.tried(expression.yes), evaluation.tried(expression.no)
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
    taken, other = (yes, no) if condition.data else (no, yes)
    if isinstance(taken, Refusal):
        raise taken.of_type(common)
    if isinstance(other, Unknown) and _may_change(taken, other):
        reason = f"its type depends on the other side of the conditional, and {other.reason}"
        return Unknown(reason, other.range, sensitive=sensitive)
    place = (expression.yes if condition.data else expression.no).range
    detail = f"The {'true' if condition.data else 'false'} result value has the wrong type"
    found = convert_or_refuse(taken, common, "Inconsistent conditional result types", detail, place)
    return marked(found, sensitive)


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
    """Return whether the type of the other side, which OpenTofu may know, could change the value of the side taken.

    A string stays a string, and collections keep their keys; but a number may become a string, and a tuple a set.
    """
    unsettled = other.problem is None and isinstance(other.type, DynamicType)
    return (
        unsettled and isinstance(taken, Value) and (taken.type in (NUMBER, BOOL) or isinstance(taken.type, TupleType))
    )


def _is_bare_null(part: Part | Refusal) -> bool:
    return isinstance(part, Value) and part.data is None and isinstance(part.type, DynamicType)


def evaluate_for(evaluation: Evaluation, expression: ForExpression) -> Part:
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
    sensitive, unknown = collection.sensitive, None
    items: list[Part] = []
    groups: dict[str, list[Part]] = {}
    if expression.condition is not None and not children(collection):
        # OpenTofu checks the condition of a loop without elements, too.
        nothing = Unknown("there are no elements", expression.range)
        names = (name for name in (expression.key_name, expression.value_name) if name)
        condition = _condition(evaluation.with_names(dict.fromkeys(names, nothing)), expression.condition)
        sensitive = sensitive or condition.sensitive
    for key, item in elements(collection):
        bound = {expression.value_name: item}
        if expression.key_name:
            bound = {expression.key_name: key, **bound}
        inside = evaluation.with_names(bound)
        if expression.condition is not None:
            condition = _condition(inside, expression.condition)
            sensitive = sensitive or condition.sensitive
            if isinstance(condition, Unknown):
                # One unknown condition or key makes the whole result unknown.
                unknown = unknown or condition
                continue
            if condition.data is not True:
                continue
        if expression.key is None:
            items.append(inside.value(expression.value))
            continue
        name = _object_key(inside, expression.key)
        sensitive = sensitive or name.sensitive
        value = inside.value(expression.value)
        if isinstance(name, Unknown):
            unknown = unknown or name
            continue
        group = groups.setdefault(str(name.data), [])
        if group and not expression.group:
            grouping = "use the ellipsis (...) after the value expression to enable grouping by key"
            detail = (
                f"Two different items produced the key {quote(str(name.data))} in this 'for' expression. "
                f"If duplicates are expected, {grouping}."
            )
            raise Refusal("Duplicate object key", detail, expression.key.range)
        group.append(value)
    found: Part
    if unknown is not None:
        found = retyped(unknown, DYNAMIC)
    elif expression.key is None:
        found = tuple_of(items)
    else:
        found = object_of({name: tuple_of(group) if expression.group else group[0] for name, group in groups.items()})
    return marked(found, sensitive)


def _condition(inside: Evaluation, condition: Expression) -> Part:
    part = inside.value(condition)
    if isinstance(part, Value) and part.data is None:
        raise Refusal("Invalid 'for' condition", "The value of the 'if' clause must not be null.", condition.range)
    detail = "The 'if' clause value is invalid"
    return marked(convert_or_refuse(part, BOOL, "Invalid 'for' condition", detail, condition.range), part.sensitive)


def _object_key(inside: Evaluation, key: Expression) -> Part:
    part = inside.value(key)
    if isinstance(part, Value) and part.data is None:
        detail = "Key expression in 'for' expression must not produce a null value."
        raise Refusal("Invalid object key", detail, key.range)
    detail = "The key expression produced an invalid result"
    return marked(convert_or_refuse(part, STRING, "Invalid object key", detail, key.range), part.sensitive)


def elements(collection: Value) -> Iterator[tuple[Part, Part]]:
    """Yield the keys and elements of a collection. Keys are names, positions, or for a set the elements themselves."""
    if isinstance(collection.data, Mapping):
        for name, item in collection.data.items():
            yield Value(STRING, name), item
    else:
        is_set = isinstance(collection.type, SetType)
        for place, item in enumerate(children(collection)):
            yield (item if is_set else number(place)), item


def evaluate_splat(evaluation: Evaluation, expression: Splat) -> Part:
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
        detail = "Cannot include one of the interpolation results into the string template"
        converted = convert_or_refuse(item, STRING, "Invalid template interpolation value", detail, place)
        assert isinstance(converted, Value)
        texts.append(str(converted.data))
    return marked(text("".join(texts)), sensitive)
