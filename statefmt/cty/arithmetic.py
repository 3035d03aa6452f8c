"""Arithmetic on cty numbers, rounded to 512 bits as Go's `big.Float` does.

Source: go-cty `value_ops.go`. Go rounds to the larger precision of both operands, which is 512 for every number that
was read from text.
"""

from __future__ import annotations

from statefmt.cty.number import PRECISION, Number, rounded


def negate(value: Number) -> Number:
    """The number with the other sign; zero keeps its own."""
    negative = not value.negative and _is_something(value)
    return Number(negative, value.mantissa, value.exponent, value.infinite)


def add(left: Number, right: Number) -> Number | None:
    """The sum; None for infinity less infinity."""
    if left.infinite or right.infinite:
        if left.infinite and right.infinite:
            return left if left.negative == right.negative else None
        return left if left.infinite else right
    exponent = min(left.exponent, right.exponent)
    total = _shifted(left, exponent) + _shifted(right, exponent)
    return rounded(total < 0, abs(total), exponent)


def subtract(left: Number, right: Number) -> Number | None:
    """The difference; None for infinity less infinity."""
    return add(left, negate(right))


def multiply(left: Number, right: Number) -> Number | None:
    """The product; None for zero times infinity."""
    negative = left.negative != right.negative
    if left.infinite or right.infinite:
        return None if not _is_something(left) or not _is_something(right) else Number(negative, 0, infinite=True)
    return rounded(negative, left.mantissa * right.mantissa, left.exponent + right.exponent)


def divide(left: Number, right: Number) -> Number | None:
    """The quotient, infinity for a division by zero; None for zero by zero and infinity by infinity."""
    negative = left.negative != right.negative
    if not _is_something(right):
        return Number(negative, 0, infinite=True) if _is_something(left) else None
    if left.infinite:
        return None if right.infinite else Number(negative, 0, infinite=True)
    if right.infinite:
        return Number(negative, 0)
    shift = max(0, PRECISION + 2 + right.mantissa.bit_length() - left.mantissa.bit_length())
    quotient, rest = divmod(left.mantissa << shift, right.mantissa)
    # One more bit stands for whatever the division left over.
    return rounded(negative, quotient << 1 | (rest != 0), left.exponent - right.exponent - shift - 1)


def modulo(left: Number, right: Number) -> Number | None:
    """What is left of `left` after taking `right` away as often as it goes; `left` itself for zero."""
    if left.infinite or right.infinite:
        return multiply(left, right)
    if not right.mantissa:
        return left
    quotient = divide(left, right)
    assert quotient is not None
    taken = multiply(right, truncate(quotient))
    return None if taken is None else subtract(left, taken)


def truncate(value: Number) -> Number:
    """The whole number next to this one on the way to zero."""
    if value.infinite or value.exponent >= 0:
        return value
    return rounded(value.negative, value.mantissa >> -value.exponent, 0)


def is_whole(value: Number) -> bool:
    """Whether the number is an integer."""
    return not value.infinite and (value.exponent >= 0 or not value.mantissa)


def _is_something(value: Number) -> bool:
    return bool(value.mantissa) or value.infinite


def _shifted(value: Number, exponent: int) -> int:
    return (value.mantissa << (value.exponent - exponent)) * (-1 if value.negative else 1)
