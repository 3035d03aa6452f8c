"""Type constraints of variables: `map(object({ name = string, size = optional(number, 1) }))`.

Source: HCL `ext/typeexpr/get_type.go`, `defaults.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from statefmt.hcl.operations import ConversionError, convert, convert_all
from statefmt.hcl.source import Problem, ProblemKind, error
from statefmt.hcl.syntax import Call, Expression, ObjectExpression, TupleExpression, as_keyword
from statefmt.hcl.value import Part, Unknown, Value, list_of, map_of, marked, object_of, set_of, tuple_of
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    object_type,
)

_PRIMITIVES: Mapping[str, Type] = {"string": STRING, "number": NUMBER, "bool": BOOL, "any": DYNAMIC}
# Legacy shorthands, valid only as the whole type of a variable.
_SHORT: Mapping[str, Type] = {"list": ListType(DYNAMIC), "map": MapType(DYNAMIC)}
# Returns the value of an expression without references and function calls.
EvaluateLiteral: TypeAlias = Callable[[Expression], Part]
_SUMMARY = "Invalid type specification"


class Defaults(msgspec.Struct, frozen=True):
    """The defaults of optional attributes; keys of `children` are attributes, tuple positions or "" (all elements)."""

    of: Type
    values: Mapping[str, Part] = {}
    children: Mapping[str, Defaults] = {}


class TypeConstraint(msgspec.Struct, frozen=True):
    """A parsed type expression; `type` has optional attributes."""

    type: Type = DYNAMIC
    defaults: Defaults | None = None
    problems: tuple[Problem, ...] = ()

    def apply(self, part: Part) -> Part:
        """Fill in defaults and convert a value to this type. Raises ConversionError."""
        if self.defaults is not None:
            part = _filled(part, self.defaults)
        return convert(part, self.type)


def read_variable_type(expression: Expression, evaluate: EvaluateLiteral) -> TypeConstraint:
    """Parse the type of a variable, as `read_type()` does; `list` and `map` are shorthands."""
    short = _SHORT.get(as_keyword(expression) or "")
    return read_type(expression, evaluate) if short is None else TypeConstraint(short)


def read_type(expression: Expression, evaluate: EvaluateLiteral) -> TypeConstraint:
    """Parse a type expression; an invalid one gives `any` and a problem. `evaluate` evaluates default values."""
    reader = _Reader(evaluate)
    of, defaults = reader.read(expression)
    return TypeConstraint(of, defaults, tuple(reader.problems))


class _Reader:
    def __init__(self, evaluate: EvaluateLiteral) -> None:
        self._evaluate = evaluate
        self.problems: list[Problem] = []

    def _complain(self, expression: Expression, detail: str) -> tuple[Type, None]:
        self.problems.append(error(ProblemKind.BLOCK, _SUMMARY, detail, expression.range))
        return DYNAMIC, None

    def read(self, expression: Expression) -> tuple[Type, Defaults | None]:
        word = as_keyword(expression)
        if word is not None:
            if word in _PRIMITIVES:
                return _PRIMITIVES[word], None
            return self._complain(expression, f'The keyword "{word}" is not a valid type specification.')
        if not isinstance(expression, Call):
            detail = "A type is a keyword (bool, number, string, any) or a constructor with a type, like list(string)."
            return self._complain(expression, detail)
        if expression.name not in ("list", "set", "map", "object", "tuple") or len(expression.arguments) != 1:
            detail = f'"{expression.name}" with {len(expression.arguments)} argument(s) is not a valid type.'
            return self._complain(expression, detail)
        inner = expression.arguments[0]
        match expression.name:
            case "object":
                return self._object(inner)
            case "tuple":
                return self._tuple(inner)
            case name:
                element, defaults = self.read(inner)
                of: Type = (ListType if name == "list" else SetType if name == "set" else MapType)(element)
                return of, None if defaults is None else Defaults(of, children={"": defaults})

    def _object(self, inner: Expression) -> tuple[Type, Defaults | None]:
        if not isinstance(inner, ObjectExpression):
            return self._complain(inner, "An object type needs a map of attribute names to their types.")
        attributes: dict[str, Type] = {}
        optional: set[str] = set()
        values: dict[str, Part] = {}
        nested: dict[str, Defaults] = {}
        for item in inner.items:
            name = as_keyword(item.key)
            if name is None or name in attributes:
                self._complain(item.key, "The attribute names of an object type must be unique identifiers.")
                continue
            type_, default = item.value, None
            if isinstance(type_, Call) and type_.name == "optional" and 1 <= len(type_.arguments) <= 2:
                optional.add(name)
                default = type_.arguments[1] if len(type_.arguments) == 2 else None
                type_ = type_.arguments[0]
            attributes[name], inside = self.read(type_)
            if inside is not None:
                nested[name] = inside
            if default is not None:
                self._default(name, default, attributes[name], values)
        of = object_type(attributes, frozenset(optional))
        return of, Defaults(of, values, nested) if values or nested else None

    def _default(self, name: str, expression: Expression, of: Type, values: dict[str, Part]) -> None:
        try:
            values[name] = convert(self._evaluate(expression), of)
        except ConversionError as mismatch:
            detail = f"This default value is not compatible with the attribute's type constraint: {mismatch}."
            summary = "Invalid default value for optional attribute"
            self.problems.append(error(ProblemKind.BLOCK, summary, detail, expression.range))

    def _tuple(self, inner: Expression) -> tuple[Type, Defaults | None]:
        if not isinstance(inner, TupleExpression):
            return self._complain(inner, "A tuple type needs a list of types.")
        found = [self.read(each) for each in inner.items]
        of = TupleType(tuple(each for each, _ in found))
        nested = {str(place): inside for place, (_, inside) in enumerate(found) if inside is not None}
        return of, Defaults(of, children=nested) if nested else None


def _filled(part: Part, defaults: Defaults) -> Part:
    """Fill in defaults for attributes that are missing or null; the type of the value may change."""
    if isinstance(part, Unknown) or part.data is None:
        return part
    if isinstance(part.data, Mapping):
        return marked(_filled_names(part, part.data, defaults), part.sensitive)
    if not isinstance(part.data, tuple):
        return part
    tuples = isinstance(defaults.of, TupleType)
    parts: list[Part] = []
    for place, item in enumerate(part.data):
        inside = (defaults.children.get(str(place)) if tuples else None) or defaults.children.get("")
        parts.append(item if inside is None else _filled(item, inside))
    if isinstance(part.type, (ListType, SetType)):
        unified = convert_all(parts) if parts else None
        if unified is None and not parts:
            return part
        if unified is not None:
            made = (list_of if isinstance(part.type, ListType) else set_of)(unified[0], unified[1])
            return marked(made, part.sensitive)
    return marked(tuple_of(parts), part.sensitive)


def _filled_names(part: Value, data: Mapping[str, Part], defaults: Defaults) -> Part:
    objects = isinstance(defaults.of, ObjectType)
    found: dict[str, Part] = {}
    for name, item in data.items():
        inside = (defaults.children.get(name) if objects else None) or defaults.children.get("")
        found[name] = item if inside is None else _filled(item, inside)
    for name, default in defaults.values.items():
        given = found.get(name)
        if given is None or (isinstance(given, Value) and given.data is None):
            inside = defaults.children.get(name)
            found[name] = default if inside is None else _filled(default, inside)
    if isinstance(part.type, MapType):
        if not found:
            return part
        unified = convert_all(tuple(found.values()))
        if unified is not None:
            return map_of(unified[0], dict(zip(found, unified[1], strict=True)))
    return object_of(found)
