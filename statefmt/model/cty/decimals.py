"""Formats cty numbers as decimals, as Go's `big.Float.Text` does in the formats 'f' (shortest), 'g' and 'e'."""

from __future__ import annotations

from typing import NamedTuple

from statefmt.model.cty.errors import CtyEncodeError
from statefmt.model.cty.number import Number

# Go has no limit, and runs out of time or memory.
MAX_DIGITS = 100_000

# Enough to distinguish adjacent 512-bit numbers (156 digits) with some margin; _expand() adds more for more bits.
_DIGITS = 180

_LOG10_OF_2 = 0.30102999566398120


class _Decimal(NamedTuple):
    """The number 0.DIGITS * 10**point; `exact` is True if no digits follow."""

    digits: str
    point: int
    exact: bool

    def at(self, index: int) -> str:
        return self.digits[index] if index < len(self.digits) else "0"

    def ends_before(self, count: int) -> bool:
        return self.exact and len(self.digits) <= count


def format_shortest(number: Number) -> str:
    """Return the shortest plain decimal that identifies the number at its precision: `3`, `-0`, `0.1`, `1000`.

    Raises CtyEncodeError for infinity and for numbers of more than 100,000 digits.
    """
    if number.infinite:
        raise CtyEncodeError("cannot serialize infinity as JSON")
    sign = "-" if number.negative else ""
    if not number.mantissa:
        return sign + "0"
    if number.exponent >= 0 and number.mantissa.bit_length() + number.exponent <= number.precision:
        # An integer that fits into the mantissa needs all of its digits.
        return f"{sign}{number.mantissa << number.exponent}"
    digits, point = _shortest(number)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    return f"{sign}{digits[:point]}.{digits[point:]}"


def format_general(number: Number) -> str:
    """Return up to ten significant digits, as `big.Float.String` does: `0.1`, `1234567890`, `1e+10`, `-0`, `+Inf`.

    cty sorts sets of compound values by it. Raises CtyEncodeError for more than 100,000 digits.
    """
    return format_digits(number, 10)


def format_digits(number: Number, count: int | None = None) -> str:
    """Return `count` significant digits, by default the fewest that identify the number, as `big.Float.Text` with 'g'.

    Uses exponent notation if the exponent is less than -4, or at least the number of digits (6 without `count`):
    `0.1`, `1e+06`. Raises CtyEncodeError for more than 100,000 digits.
    """
    if number.infinite:
        return "-Inf" if number.negative else "+Inf"
    sign = "-" if number.negative else ""
    if not number.mantissa:
        return sign + "0"
    if count is None:
        digits, point = _shortest(number)
        limit = 6
    else:
        digits, point = _rounded(_expand(number, number.mantissa, number.exponent), max(1, count))
        limit = len(digits) if count > len(digits) >= point else max(1, count)
    if not -4 <= point - 1 < limit:
        return sign + _scientific(digits, point)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    return f"{sign}{digits[:point]}.{digits[point:]}"


def format_scientific(number: Number, places: int) -> str:
    """Format a finite number with `places` digits after the point and an exponent: `1.50e+03`."""
    sign = "-" if number.negative else ""
    if not number.mantissa:
        return f"{sign}{_scientific('0'.ljust(places + 1, '0'), 1)}"
    digits, point = _rounded(_expand(number, number.mantissa, number.exponent, places), places + 1)
    return sign + _scientific(digits.ljust(places + 1, "0"), point)


def _scientific(digits: str, point: int) -> str:
    tail = "." + digits[1:] if len(digits) > 1 else ""
    return f"{digits[0]}{tail}e{point - 1:+03d}"


def _expand(number: Number, mantissa: int, exponent: int, wanted: int = 0) -> _Decimal:
    """Return the leading digits of mantissa * 2**exponent: at least `wanted`, and enough for the number's precision."""
    places = int((mantissa.bit_length() + exponent) * _LOG10_OF_2)
    if abs(places) > MAX_DIGITS:
        raise CtyEncodeError(f"a number of more than {MAX_DIGITS} digits is not supported")
    scale = max(_DIGITS, wanted + 2, int(number.precision * _LOG10_OF_2) + 26) - places
    shift = exponent + scale
    divisor = 1
    if scale >= 0:
        mantissa *= 5**scale
    else:
        divisor = 5**-scale
    if shift >= 0:
        mantissa <<= shift
    else:
        divisor <<= -shift
    quotient, rest = divmod(mantissa, divisor)
    digits = str(quotient)
    point = len(digits) - scale
    if rest:
        return _Decimal(digits=digits, point=point, exact=False)
    return _Decimal(digits=digits.rstrip("0"), point=point, exact=True)


def _shortest(number: Number) -> tuple[str, int]:
    """Return the fewest digits that identify the number at its precision, deciding digit by digit as Go does."""
    # With one extra bit of precision, mantissa - 1 and + 1 are half-way to the adjacent numbers.
    widen = number.precision + 1 - number.mantissa.bit_length()
    mantissa, exponent = number.mantissa << widen, number.exponent - widen
    value = _expand(number, mantissa, exponent)
    lower = _expand(number, mantissa - 1, exponent)
    upper = _expand(number, mantissa + 1, exponent)
    # Half-way values round to even.
    inclusive = mantissa & 2 == 0
    for index, digit in enumerate(value.digits):
        low, high, count = lower.at(index), upper.at(index), index + 1
        down = low != digit or (inclusive and lower.exact and len(lower.digits) == count)
        up = digit != high and (inclusive or int(digit) + 1 < int(high) or not upper.ends_before(count))
        if down and up:
            return _rounded(value, count)
        if down:
            return value.digits[:count].rstrip("0"), value.point
        if up:
            return _rounded_up(value, count)
    return value.digits, value.point


def _rounded(value: _Decimal, count: int) -> tuple[str, int]:
    """Round to `count` digits, half to even."""
    digits = value.digits
    if value.ends_before(count):
        return digits, value.point
    half_way = digits[count] == "5" and value.ends_before(count + 1)
    if (int(digits[count - 1]) % 2 == 1) if half_way else digits[count] >= "5":
        return _rounded_up(value, count)
    return digits[:count].rstrip("0"), value.point


def _rounded_up(value: _Decimal, count: int) -> tuple[str, int]:
    if value.ends_before(count):
        return value.digits, value.point
    digits = value.digits[:count].rstrip("9")
    if not digits:
        return "1", value.point + 1
    return digits[:-1] + str(int(digits[-1]) + 1), value.point
