"""Extracts Python values from function arguments, which are known and of the right type."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from statefmt.hcl.functions.registry import FunctionError
from statefmt.hcl.value import Part, Value
from statefmt.hcl.values.construct import children
from statefmt.model.cty import ListType, Number, SetType, TupleType

# As a negative exponent below that of any float, as a positive one above that of any useful whole number.
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
