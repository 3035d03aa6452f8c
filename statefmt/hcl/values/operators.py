"""Operators on values. Sources: HCL `hclsyntax/expression_ops.go`; go-cty `value_ops.go`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from statefmt.hcl.syntax.expressions import Binary, Unary
from statefmt.hcl.value import Part, Unknown, Value
from statefmt.hcl.values.construct import children, first_unknown, is_sensitive_within, marked, number, retyped, truth
from statefmt.hcl.values.conversion import ConversionError, convert
from statefmt.hcl.values.refusal import Refusal
from statefmt.model.cty import BOOL, NUMBER, Number, Type
from statefmt.model.cty.arithmetic import add, divide, modulo, multiply, negate, subtract
from statefmt.model.cty.unify import has_dynamic

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
    left = _operand(expression, left, wanted, "left")
    right = _operand(expression, right, wanted, "right")
    sensitive = left.sensitive or right.sensitive
    if wanted == BOOL:
        return marked(_logical(expression, left, right), sensitive)
    for side, part in (("left", left), ("right", right)):
        if isinstance(part, Value) and part.data is None:
            _refuse_null(expression, side)
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
    try:
        operand = convert(operand, wanted)
    except ConversionError as error:
        detail = f"Unsuitable value for unary operand: {error}."
        raise Refusal("Invalid operand", detail, expression.operand.range) from None
    if isinstance(operand, Unknown):
        return operand
    if operand.data is None:
        raise Refusal("Operation failed", "Error during operation: argument must not be null.", expression.range)
    result = number(negate(_number(operand))) if wanted == NUMBER else truth(not operand.data)
    return marked(result, operand.sensitive)


def _operand(expression: Binary, part: Part, wanted: Type, side: str) -> Part:
    try:
        return convert(part, wanted)
    except ConversionError as error:
        place = expression.left.range if side == "left" else expression.right.range
        raise Refusal("Invalid operand", f"Unsuitable value for {side} operand: {error}.", place) from None


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


def _refuse_null(expression: Binary, side: str) -> None:
    place = expression.left.range if side == "left" else expression.right.range
    raise Refusal("Operation failed", "Error during operation: argument must not be null.", place)


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
