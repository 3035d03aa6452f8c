"""Evaluates `for` expressions and splats. Source: HCL `hclsyntax/expression.go` (ForExpr, SplatExpr)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from statefmt.golang import quote
from statefmt.hcl.source.position import Range
from statefmt.hcl.syntax.expressions import Expression, ForExpression, Splat
from statefmt.hcl.value import Part, Unknown, Value
from statefmt.hcl.values.construct import (
    EMPTY_TUPLE,
    children,
    list_of,
    marked,
    number,
    object_of,
    retyped,
    text,
    tuple_of,
)
from statefmt.hcl.values.conversion import ConversionError, convert
from statefmt.hcl.values.refusal import Refusal
from statefmt.model.cty import BOOL, DYNAMIC, STRING, ListType, SetType, TupleType
from statefmt.model.cty.type_names import type_name
from statefmt.model.cty.types import DynamicType, PrimitiveType

if TYPE_CHECKING:
    from statefmt.hcl.values.evaluator import Evaluator


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
