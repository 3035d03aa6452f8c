"""The registry of functions: their parameters, result types, and treatment of unknown and marked values.

A function is a Python function with the decorator `function`, in a module that `__init__` imports. Its arguments are
converted to the types of its parameters. Unless its parameters allow it, they are never null, unknown or marked; the
result then gets the marks of all arguments. `text_of`, `number_of` and the like unpack arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from statefmt.hcl.operations import Names
from statefmt.hcl.syntax import Expression
from statefmt.hcl.value import Part, Value, children
from statefmt.model.cty import DYNAMIC, ListType, SetType, TupleType, Type
from statefmt.model.cty.number import Number


class FunctionError(ValueError):
    """A call that OpenTofu would refuse; `argument` is the index of the argument at fault, if any."""

    def __init__(self, detail: str, argument: int | None = None) -> None:
        super().__init__(detail)
        self.argument = argument


class Parameter(msgspec.Struct, frozen=True):
    """A parameter, and whether it accepts null, an unknown value, unknown parts, and parts with marks."""

    name: str
    type: Type = DYNAMIC
    null: bool = False
    parts: bool = False
    marks: bool = False
    unknown: bool = False


class FunctionSurroundings(msgspec.Struct, frozen=True):
    """The base of relative paths, and a function that evaluates an expression in another scope (raises Refusal).

    Reads only files in the folders `within`; None allows all.
    """

    directory: Path
    evaluate: Callable[[Expression, Names], Part]
    within: tuple[str, ...] | None = None


FunctionBody: TypeAlias = Callable[..., Part]


class Function(msgspec.Struct, frozen=True):
    """A registered function; `returns` is the type of an unknown result."""

    name: str
    parameters: tuple[Parameter, ...]
    rest: Parameter | None
    returns: Type
    run: FunctionBody
    surroundings: bool = False  # whether it takes FunctionSurroundings as its first argument
    own_marks: bool = False  # whether it gets arguments with marks and marks its result itself


FUNCTIONS: dict[str, Function] = {}


def function(
    *parameters: Parameter,
    rest: Parameter | None = None,
    returns: Type = DYNAMIC,
    name: str = "",
    surroundings: bool = False,
    own_marks: bool = False,
) -> Callable[[FunctionBody], FunctionBody]:
    """Register a Python function under `name`, or under its own name without a trailing underscore."""

    def register(run: FunctionBody) -> FunctionBody:
        called = name or run.__name__.rstrip("_")
        FUNCTIONS[called] = Function(
            name=called,
            parameters=parameters,
            rest=rest,
            returns=returns,
            run=run,
            surroundings=surroundings,
            own_marks=own_marks,
        )
        return run

    return register


# As a negative exponent, below the smallest float; as a positive one, above any useful whole number.
_SMALLEST: Final = 10_000


def text_of(part: Part) -> str:
    """Return a string value as str."""
    assert isinstance(part, Value)
    assert isinstance(part.data, str)
    return part.data


def number_of(part: Part) -> Number:
    """Return a number value as Number."""
    assert isinstance(part, Value)
    assert isinstance(part.data, Number)
    return part.data


def whole_of(part: Part, what: str = "value") -> int:
    """Return a number as int. Raises FunctionError if it is not whole or exceeds 64 bits."""
    found = number_of(part)
    whole = 0 if not found.mantissa and not found.infinite else found.small_integer()
    if whole is None or not -(2**63) <= whole < 2**63:
        detail = "must be a whole number, between -9223372036854775808 and 9223372036854775807"
        raise FunctionError(f"{what} {detail}")
    return whole


def whole_of_any_size(part: Part) -> int:
    """Return a number as int. Raises FunctionError if it is not whole or excessively large."""
    found = number_of(part)
    if found.infinite or found.exponent < 0 or found.exponent > _SMALLEST:
        raise FunctionError("value must be a whole number")
    return (found.mantissa << found.exponent) * (-1 if found.negative else 1)


def float_of(part: Part) -> float:
    """Return the float nearest to a number. Raises FunctionError if the number is too large."""
    found = number_of(part)
    sign = -1.0 if found.negative else 1.0
    if found.infinite:
        return sign * math.inf
    try:
        exponent = max(found.exponent, -_SMALLEST)
        mantissa = found.mantissa >> (exponent - found.exponent) if exponent > found.exponent else found.mantissa
        if exponent > _SMALLEST:
            raise OverflowError
        return sign * float(Fraction(mantissa) * Fraction(2) ** exponent)
    except OverflowError:
        raise FunctionError("value must be between -1.7976931348623157e+308 and 1.7976931348623157e+308") from None


def texts_of(part: Part) -> list[str]:
    """Return a list of strings without nulls as list of str."""
    return [text_of(item) for item in children(part)]


def names_of(part: Part) -> Mapping[str, Part]:
    """Return the parts of a map or an object by name."""
    assert isinstance(part, Value)
    assert isinstance(part.data, Mapping)
    return part.data


def is_sequence(part: Part) -> bool:
    """Return whether a value is a list, a set or a tuple."""
    return isinstance(part.type, (ListType, SetType, TupleType))


def is_null(part: Part) -> bool:
    """Return whether a value is null."""
    return isinstance(part, Value) and part.data is None
