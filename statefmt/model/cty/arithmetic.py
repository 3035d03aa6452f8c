"""Calculates with cty numbers, rounding as Go's `big.Float` does: to the larger precision of both operands.

That is 512 bits if one operand was parsed from a string, and 64 for the product of two lengths. Sources: go-cty
`value_ops.go`, Go's `math/big/float.go`.
"""

from __future__ import annotations

from statefmt.model.cty.number import PRECISION, Number, rounded, with_precision


def negate(value: Number) -> Number:
    """Return the negated number; zero changes its sign, too."""
    return Number(
        negative=not value.negative,
        mantissa=value.mantissa,
        exponent=value.exponent,
        infinite=value.infinite,
        precision=value.precision,
    )


def add(left: Number, right: Number) -> Number | None:
    """Return the sum; None for infinity minus infinity."""
    precision = max(left.precision, right.precision)
    if left.infinite and right.infinite:
        return with_precision(left, precision) if left.negative == right.negative else None
    if left.infinite or right.infinite:
        return with_precision(left if left.infinite else right, precision)
    exponent = min(left.exponent, right.exponent)
    total = _shifted(left, exponent) + _shifted(right, exponent)
    both_zero = not left.mantissa and not right.mantissa
    negative = left.negative and right.negative if both_zero else total < 0
    return rounded(negative, abs(total), exponent, precision)


def subtract(left: Number, right: Number) -> Number | None:
    """Return the difference; None for infinity minus infinity."""
    return add(left, negate(right))


def multiply(left: Number, right: Number) -> Number | None:
    """Return the product; None for zero times infinity. Its precision exceeds that of the operands if necessary."""
    negative = left.negative != right.negative
    precision = max(left.precision, right.precision)
    if left.infinite or right.infinite:
        if not _is_something(left) or not _is_something(right):
            return None
        return Number(negative=negative, mantissa=0, infinite=True, precision=precision)
    product = rounded(negative, left.mantissa * right.mantissa, left.exponent + right.exponent, PRECISION)
    return with_precision(product, max(precision, product.mantissa.bit_length()))


def divide(left: Number, right: Number) -> Number | None:
    """Return the quotient; infinity for division by zero, None for zero by zero and infinity by infinity."""
    negative = left.negative != right.negative
    precision = max(left.precision, right.precision)
    if not _is_something(right):
        return (
            Number(negative=negative, mantissa=0, infinite=True, precision=precision) if _is_something(left) else None
        )
    if left.infinite:
        return None if right.infinite else Number(negative=negative, mantissa=0, infinite=True, precision=precision)
    if right.infinite:
        return Number(negative=negative, mantissa=0, precision=precision)
    shift = max(0, precision + 2 + right.mantissa.bit_length() - left.mantissa.bit_length())
    quotient, rest = divmod(left.mantissa << shift, right.mantissa)
    # A sticky bit represents the remainder.
    return rounded(negative, quotient << 1 | (rest != 0), left.exponent - right.exponent - shift - 1, precision)


def modulo(left: Number, right: Number) -> Number | None:
    """Return the remainder of dividing `left` by `right`; `left` if `right` is zero, None if either is infinite.

    Like go-cty, rounds intermediate steps to the precision of `left`, which affects the result.
    """
    if left.infinite or right.infinite:
        return None
    if not right.mantissa:
        return left
    quotient = divide(left, right)
    assert quotient is not None
    whole = with_precision(truncate(quotient), left.precision)
    negative = right.negative != whole.negative
    taken = rounded(negative, right.mantissa * whole.mantissa, right.exponent + whole.exponent, left.precision)
    rest = subtract(left, taken)
    assert rest is not None
    return rest


def truncate(value: Number) -> Number:
    """Round towards zero. A result of zero has no sign."""
    if value.infinite:
        return value
    if value.exponent >= 0:
        return Number(
            negative=value.negative and value.mantissa != 0,
            mantissa=value.mantissa,
            exponent=value.exponent,
            infinite=False,
            precision=value.precision,
        )
    whole = value.mantissa >> -value.exponent
    return rounded(value.negative and whole != 0, whole, 0, value.precision)


def is_whole(value: Number) -> bool:
    """Return whether the number is an integer."""
    return not value.infinite and (value.exponent >= 0 or not value.mantissa)


def _is_something(value: Number) -> bool:
    return bool(value.mantissa) or value.infinite


def _shifted(value: Number, exponent: int) -> int:
    return (value.mantissa << (value.exponent - exponent)) * (-1 if value.negative else 1)
