"""Turns the expressions of an operations file into values: constants, and addresses as plain references."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.operations import NoNames
from statefmt.hcl.syntax import (
    Argument,
    AttributeAccess,
    Expression,
    Literal,
    ObjectExpression,
    Parentheses,
    Splat,
    Template,
    TemplateWrap,
    Traversal,
    TupleExpression,
    Unary,
)
from statefmt.hcl.value import Value, first_unknown, to_plain
from statefmt.model.addrs import IntKey, StringKey
from statefmt.model.cty import CtyEncodeError
from statefmt.model.cty.number import Number, format_shortest
from statefmt.model.errors import SettingsError


def argument_value(argument: Argument) -> object:
    """Return the value of an argument: an address for a reference such as `state.app.module.vpc`, else a constant.

    Raises SettingsError with the position.
    """
    return _value(argument.expression)


def _value(expression: Expression) -> object:
    if isinstance(expression, Traversal):
        return _address(expression)
    if isinstance(expression, Splat):
        raise SettingsError(f"{expression.range}: write an address with wildcards as a string")
    if isinstance(expression, TupleExpression):
        return [_value(item) for item in expression.items]
    found = evaluate(expression, NoNames()) if _is_constant(expression) else None
    if not isinstance(found, Value) or first_unknown((found,)) is not None:
        raise SettingsError(f"{expression.range}: only constants and addresses can be used here")
    try:
        return _plain(to_plain(found))
    except CtyEncodeError as error:
        raise SettingsError(f"{expression.range}: {error.detail}") from error


def _is_constant(expression: Expression) -> bool:
    """Return whether a value is written out. A loop in a short file might make a huge one."""
    match expression:
        case Literal():
            return True
        case TupleExpression(items=parts) | Template(parts=parts):
            return all(map(_is_constant, parts))
        case ObjectExpression(items=items):
            return all((item.bare or _is_constant(item.key)) and _is_constant(item.value) for item in items)
        case Parentheses(inner=inner) | TemplateWrap(inner=inner) | Unary(operand=inner):
            return _is_constant(inner)
        case _:
            return False


def _address(reference: Traversal) -> str:
    """Return a reference as an address."""
    parts = [reference.root]
    for step in reference.steps:
        if isinstance(step, AttributeAccess):
            parts.append(f".{step.name}")
        elif isinstance(step.key, str):
            parts.append(str(StringKey(step.key)))
        else:
            number = _plain(step.key)
            if not isinstance(number, int):
                raise SettingsError(f"{step.range}: an instance key is a whole number or a string")
            parts.append(str(IntKey(number)))
    return "".join(parts)


def _plain(data: object) -> object:
    if isinstance(data, Number):
        number = Decimal(format_shortest(data))
        return int(number) if number == number.to_integral_value() else number
    if isinstance(data, tuple):
        return [_plain(item) for item in data]
    if isinstance(data, Mapping):
        return {name: _plain(item) for name, item in data.items()}
    return data
