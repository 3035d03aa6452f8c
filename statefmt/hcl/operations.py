"""Applies operators, indexes and conversions to the values of expressions, and defines scopes (`Names`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from statefmt.golang import quote
from statefmt.hcl.source import ProblemKind, Range, error
from statefmt.hcl.syntax import Access, AttributeAccess, Binary, Expression, Traversal, Unary
from statefmt.hcl.value import (
    Part,
    Refusal,
    Unknown,
    Value,
    as_unknown,
    children,
    first_unknown,
    is_sensitive_within,
    list_of,
    map_of,
    marked,
    number,
    object_of,
    retyped,
    set_of,
    truth,
    tuple_of,
)
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    CtyValueError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
    type_name,
)
from statefmt.model.cty.data import convert_primitive
from statefmt.model.cty.number import Number, add, divide, is_whole, modulo, multiply, negate, subtract
from statefmt.model.cty.unify import can_convert, fill_dynamic, has_dynamic, mismatch, unify, without_optional

_ARITHMETIC: Final[Mapping[str, Callable[[Number, Number], Number | None]]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": modulo,
}
_COMPARISONS: Final[Mapping[str, Callable[[Number, Number], bool]]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: not right < left,
    ">": lambda left, right: right < left,
    ">=": lambda left, right: not left < right,
}


def apply_binary(expression: Binary, left: Part, right: Part) -> Part:
    """Evaluate `left operator right`. Raises Refusal."""
    operator = expression.operator
    if operator in ("==", "!="):
        return _marked_equality(left, right, operator == "==")
    wanted = BOOL if operator in ("&&", "||") else NUMBER
    left = convert_or_refuse(
        left, wanted, "Invalid operand", "Unsuitable value for left operand", expression.left.range
    )
    right = convert_or_refuse(
        right, wanted, "Invalid operand", "Unsuitable value for right operand", expression.right.range
    )
    sensitive = left.sensitive or right.sensitive
    if wanted == BOOL:
        return marked(_logical(expression, left, right), sensitive)
    for part, place in ((left, expression.left.range), (right, expression.right.range)):
        if isinstance(part, Value) and part.data is None:
            raise Refusal("Operation failed", "Error during operation: argument must not be null.", place)
    unknown = first_unknown((left, right))
    of = NUMBER if operator in _ARITHMETIC else BOOL
    if unknown is not None:
        return marked(retyped(unknown, of), sensitive)
    one, other = _number(left), _number(right)
    if operator in _COMPARISONS:
        return marked(truth(_COMPARISONS[operator](one, other)), sensitive)
    result = _ARITHMETIC[operator](one, other)
    if result is None:
        raise Refusal(
            "Operation failed",
            "Error during operation: the result is not a number, as in 0 / 0 or infinity - infinity.",
            expression.range,
        )
    return marked(number(result), sensitive)


def result_type(expression: Binary | Unary) -> Type:
    """Return the type of the operator's result, should it succeed."""
    arithmetic = expression.operator in _ARITHMETIC if isinstance(expression, Binary) else expression.operator == "-"
    return NUMBER if arithmetic else BOOL


def settles(expression: Binary, operand: Part) -> bool:
    """Return whether one operand of `&&` or `||` alone decides the result, which is then this operand."""
    return isinstance(operand, Value) and operand.data is (expression.operator == "||")


def apply_unary(expression: Unary, operand: Part) -> Part:
    """Evaluate `-operand` or `!operand`. Raises Refusal."""
    wanted = NUMBER if expression.operator == "-" else BOOL
    place = expression.operand.range
    operand = convert_or_refuse(operand, wanted, "Invalid operand", "Unsuitable value for unary operand", place)
    if isinstance(operand, Unknown):
        return operand
    if operand.data is None:
        raise Refusal("Operation failed", "Error during operation: argument must not be null.", expression.range)
    result = number(negate(_number(operand))) if wanted == NUMBER else truth(not operand.data)
    return marked(result, operand.sensitive)


def _logical(expression: Binary, left: Part, right: Part) -> Part:
    # One operand may decide the result, even if the other is unknown.
    settled = expression.operator == "||"
    for part in (left, right):
        if isinstance(part, Value):
            if part.data is None:
                what = f"the result of {expression.operator} with null depends on the release: older ones refuse it"
                return Unknown(what, expression.range, BOOL)
            if part.data is settled:
                return truth(settled)
    unknown = first_unknown((left, right))
    return truth(not settled) if unknown is None else retyped(unknown, BOOL)


def _number(part: Part) -> Number:
    assert isinstance(part, Value)
    assert isinstance(part.data, Number)
    return part.data


def _marked_equality(left: Part, right: Part, wanted: bool) -> Part:
    nulls = [isinstance(part, Value) and part.data is None for part in (left, right)]
    if sum(nulls) == 1:
        # Nested parts cannot influence the result.
        sensitive = left.sensitive or right.sensitive
    else:
        sensitive = is_sensitive_within(left) or is_sensitive_within(right)
    found = equal(left, right)
    result = retyped(found, BOOL) if isinstance(found, Unknown) else truth(found == wanted)
    return marked(result, sensitive)


def equal(left: Part, right: Part) -> bool | Unknown:
    """Return whether two values have the same type and content; nulls are equal, whatever their types.

    Unknown if that depends on an unknown part.
    """
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _equal_unknown(left, right)
    if left.data is None or right.data is None:
        return left.data is None and right.data is None
    if left.type != right.type:
        unknown = first_unknown((left, right))
        dynamic = has_dynamic(left.type) or has_dynamic(right.type)
        return unknown if unknown is not None and dynamic else False
    if isinstance(left.data, (tuple, Mapping)):
        return _equal_parts(left, right)
    return left.data == right.data


def _equal_unknown(left: Part, right: Part) -> bool | Unknown:
    unknown = left if isinstance(left, Unknown) else right
    other = right if unknown is left else left
    assert isinstance(unknown, Unknown)
    known_to_differ = (
        isinstance(other, Value)
        and other.data is not None
        and not has_dynamic(unknown.type)
        and not has_dynamic(other.type)
        and unknown.type != other.type
    )
    return False if known_to_differ else unknown


def _equal_parts(left: Value, right: Value) -> bool | Unknown:
    mine, others = children(left), children(right)
    if len(mine) != len(others):
        return False
    if isinstance(left.data, Mapping) and isinstance(right.data, Mapping) and left.data.keys() != right.data.keys():
        return False
    for one, other in zip(mine, others, strict=True):
        found = equal(one, other)
        if found is not True:
            return found
    return True


_NO_ELEMENT = "The given key does not identify an element in this collection value"


def step_into(part: Part, step: Access) -> Part:
    """Take one literal step into a value. Raises Refusal if there is no such element."""
    if isinstance(step, AttributeAccess):
        return get_attribute(part, step.name, step.range)
    key = Value(STRING, step.key) if isinstance(step.key, str) else Value(NUMBER, step.key)
    return get_index(part, key, step.range)


def get_attribute(part: Part, name: str, place: Range) -> Part:
    """Evaluate `part.name`. Raises Refusal."""
    if isinstance(part, Value) and part.data is None:
        detail = "This value is null, so it does not have any attributes."
        raise Refusal("Attempt to get attribute from null value", detail, place)
    of = part.type
    match of:
        case ObjectType(attributes, _):
            if name not in attributes:
                raise Refusal(
                    "Unsupported attribute", f"This object does not have an attribute named {quote(name)}.", place
                )
        case MapType():
            pass
        case DynamicType():
            assert isinstance(part, Unknown)
            return part
        case ListType(ObjectType()) | SetType(ObjectType()):
            kind = "list" if isinstance(of, ListType) else "set"
            detail = f"Can't access attributes on a {kind} of objects. Select one element, or use a splat expression."
            raise Refusal("Unsupported attribute", detail, place)
        case PrimitiveType():
            detail = f"Can't access attributes on a primitive-typed value ({type_name(of)})."
            raise Refusal("Unsupported attribute", detail, place)
        case _:
            raise Refusal("Unsupported attribute", "This value does not have any attributes.", place)
    if isinstance(part, Unknown):
        return retyped(part, of.attributes[name] if isinstance(of, ObjectType) else of.element)
    assert isinstance(part.data, Mapping)
    found = part.data.get(name)
    if found is None:
        raise Refusal("Missing map element", f"This map does not have an element with the key {quote(name)}.", place)
    return marked(found, part.sensitive)


def get_index(part: Part, key: Part, place: Range) -> Part:
    """Evaluate `part[key]`. Raises Refusal."""
    if isinstance(part, Value) and part.data is None:
        raise Refusal("Attempt to index null value", "This value is null, so it does not have any indices.", place)
    if isinstance(key, Value) and key.data is None:
        raise Refusal("Invalid index", "Can't use a null value as an indexing key.", place)
    of = part.type
    if isinstance(of, SetType):
        detail = "Elements of a set are identified only by their value and cannot be selected with an index."
        raise Refusal("Invalid index", detail, place)
    if isinstance(of, PrimitiveType):
        raise Refusal("Invalid index", "This value does not have any indices.", place)
    if isinstance(part, Unknown) and isinstance(of, DynamicType):
        return part
    wanted = NUMBER if isinstance(of, (ListType, TupleType)) else STRING
    key = convert_or_refuse(key, wanted, "Invalid index", _NO_ELEMENT, place)
    sensitive = part.sensitive or key.sensitive
    if isinstance(key, Unknown):
        return marked(retyped(key, of.element if isinstance(of, (ListType, MapType)) else DYNAMIC), sensitive)
    if isinstance(key.data, Number):
        return marked(_element(part, key.data, place), sensitive)
    assert isinstance(key.data, str)
    return marked(_member(part, key.data, place), sensitive)


def _element(part: Part, key: Number, place: Range) -> Part:
    of = part.type
    assert isinstance(of, (ListType, TupleType))
    if not is_whole(key):
        detail = "indexing a sequence requires a whole number, but the given index has a fractional part."
        raise Refusal("Invalid index", f"{_NO_ELEMENT}: {detail}", place)
    if key.negative and key.mantissa:
        raise Refusal("Invalid index", f"{_NO_ELEMENT}: a negative number is not a valid index for a sequence.", place)
    at = 0 if not key.mantissa else key.small_integer()
    if isinstance(part, Unknown):
        return retyped(part, of.element if isinstance(of, ListType) else DYNAMIC)
    assert isinstance(part.data, tuple)
    if at is None or at >= len(part.data):
        why = (
            "the collection has no elements"
            if not part.data
            else "the given index is greater than or equal to the length of the collection"
        )
        raise Refusal("Invalid index", f"{_NO_ELEMENT}: {why}.", place)
    return part.data[at]


def _member(part: Part, key: str, place: Range) -> Part:
    of = part.type
    if isinstance(of, ObjectType) and key not in of.attributes:
        raise Refusal("Invalid index", f"{_NO_ELEMENT}.", place)
    if isinstance(part, Unknown):
        return retyped(part, of.attributes[key] if isinstance(of, ObjectType) else of.element)  # type: ignore[union-attr]
    assert isinstance(part.data, Mapping)
    found = part.data.get(key)
    if found is None:
        raise Refusal("Invalid index", f"{_NO_ELEMENT}.", place)
    return found


class ConversionError(ValueError):
    """A value that does not convert to the wanted type; the message is OpenTofu's."""


def convert(part: Part, wanted: Type) -> Part:
    """Convert a value to the type `wanted`, which may have optional attributes.

    Raises ConversionError; but if a part of the value has an unknown type, a failure returns Unknown.
    """
    if part.type == wanted:
        return part
    try:
        return marked(_converted(part, wanted), part.sensitive)
    except ConversionError:
        unknown = None if isinstance(part, Unknown) else _untyped((part,))
        if unknown is None:
            raise
        return retyped(unknown, without_optional(wanted))


def convert_or_refuse(part: Part, wanted: Type, summary: str, detail: str, place: Range) -> Part:
    """Convert a value as convert() does, but raise a Refusal, with the reason after `detail`."""
    try:
        return convert(part, wanted)
    except ConversionError as error:
        raise Refusal(summary, f"{detail}: {error}.", place) from None


def convert_all(parts: Sequence[Part]) -> tuple[Type, list[Part]] | None:
    """Convert the values to their common type; None if there is none. Needs at least one value."""
    common = unify([part.type for part in parts])
    return None if common is None else (common, [convert(part, common) for part in parts])


def _untyped(parts: Iterable[Part]) -> Unknown | None:
    for part in parts:
        if isinstance(part, Unknown) and isinstance(part.type, DynamicType):
            return part
        found = _untyped(children(part))
        if found is not None:
            return found
    return None


def _converted(part: Part, wanted: Type) -> Part:
    if isinstance(wanted, DynamicType):
        return part
    if not can_convert(part.type, wanted):
        raise ConversionError(mismatch(part.type, wanted))
    if isinstance(part, Unknown):
        return retyped(part, fill_dynamic(part.type, without_optional(wanted)))
    if part.data is None:
        return Value(fill_dynamic(part.type, without_optional(wanted)), None)
    match wanted:
        case PrimitiveType():
            return _primitive(part, wanted)
        case ObjectType():
            return _object(part, wanted)
        case TupleType(elements):
            return tuple_of(map(convert, children(part), elements))
        case ListType(element) | SetType(element):
            return _sequence(part, wanted, element)
        case MapType(element):
            return _map(part, element)


def _primitive(value: Value, wanted: PrimitiveType) -> Value:
    assert isinstance(value.data, (bool, str, Number))
    try:
        return Value(wanted, convert_primitive(value.data, wanted))
    except CtyValueError as error:
        raise ConversionError(str(error)) from None


def _object(value: Value, wanted: ObjectType) -> Value:
    assert isinstance(value.data, Mapping)
    found: dict[str, Part] = {}
    for name, of in wanted.attributes.items():
        given = value.data.get(name)
        if given is not None:
            found[name] = _within(f'attribute "{name}"', given, of)
        elif name in wanted.optional:
            found[name] = Value(without_optional(of), None)
        else:
            raise ConversionError(f'map has no element for required attribute "{name}"')
    return object_of(found)


def _within(where: str, part: Part, wanted: Type) -> Part:
    try:
        return convert(part, wanted)
    except ConversionError as error:
        raise ConversionError(f"{where}: {error}") from None


def _sequence(value: Value, wanted: ListType | SetType, element: Type) -> Part:
    make: Callable[[Type, Iterable[Part]], Part] = list_of if isinstance(wanted, ListType) else set_of
    parts = children(value)
    if not parts:
        kept = isinstance(element, DynamicType) and isinstance(value.type, (ListType, SetType))
        return make(value.type.element if kept else without_optional(element), ())  # type: ignore[union-attr]
    found, common = _elements(parts, element)
    return make(common, found)


def _elements(parts: Sequence[Part], element: Type) -> tuple[list[Part], Type]:
    """Convert the elements to the type `element`, with its dynamic parts resolved alike for all."""
    if isinstance(element, DynamicType):
        common = unify([part.type for part in parts])
        if common is None:
            raise ConversionError("all elements must have the same type")
        element = common
    found = [_within(f"element {place}", part, element) for place, part in enumerate(parts)]
    again = convert_all(found)
    if again is None:
        raise ConversionError("cannot find a common base type for all elements")
    return again[1], again[0]


def _map(value: Value, element: Type) -> Value:
    assert isinstance(value.data, Mapping)
    if not value.data:
        kept = isinstance(element, DynamicType) and isinstance(value.type, MapType)
        return map_of(value.type.element if kept else without_optional(element), {})  # type: ignore[union-attr]
    found, common = _elements(tuple(value.data.values()), element)
    return map_of(common, dict(zip(value.data, found, strict=True)))


class Names(Protocol):
    """The names that expressions can refer to."""

    @property
    def directory(self) -> Path | None:
        """The base of relative paths for functions that read files; None if functions may not be called."""
        ...

    @property
    def files_within(self) -> tuple[str, ...] | None:
        """The folders whose files functions may read, with links resolved; None for all files."""
        ...

    @property
    def is_confined(self) -> bool:
        """Whether functions that read anything beyond the text, such as files, have no value."""
        ...

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        """Return the value of the name that a reference starts with, and the remaining steps."""
        ...


class NoNames:
    """A scope without names and functions: for defaults of variables and variable definition files."""

    directory: Path | None = None
    files_within = None
    is_confined = False

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        detail = "Variables may not be used here."
        return as_unknown(error(ProblemKind.EVALUATION, "Variables not allowed", detail, reference.range)), ()


class Evaluator(Protocol):
    """An evaluator of expressions in one scope: the `Evaluation` of the layer above, for functions."""

    @property
    def names(self) -> Names: ...

    def elsewhere(self, expression: Expression, names: Names) -> Part: ...

    def value(self, expression: Expression) -> Part: ...
