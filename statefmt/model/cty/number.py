"""Models cty numbers, formats them as decimals, and calculates with them.

They are binary floating point as in Go's math/big, with 512 bits if parsed from a string. Decimals are as in Go's
`big.Float.Text` in the formats 'f' (shortest), 'g' and 'e'. Arithmetic rounds to the larger precision of both operands:
512 bits if one was parsed from a string, 64 for the product of two lengths. Sources: go-cty `value_ops.go`, Go's
`math/big/float.go`.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from statefmt.model.cty import CtyEncodeError
from statefmt.text import pattern

PRECISION = 512
# The precision of whole numbers from Go integers, such as lengths and indexes. Larger numbers get more bits.
WHOLE_PRECISION = 64

# More bits than any number may have; numbers are padded to this width for comparison.
_WIDEST = 1 << 13
_FLOAT_PRECISION = 53

# big.Float has a 32-bit exponent; larger and smaller numbers become infinity and zero.
_MAX_EXPONENT = 2**31 - 1
_MIN_EXPONENT = -(2**31)

# Python refuses to convert longer strings at once.
_CHUNK = 4000

_NUMBER = pattern(r"([+-]?)(\d*)(?:\.(\d*))?(?:([eEpP])([+-]?\d+))?", re.ASCII)
_INFINITY = pattern(r"([+-]?)[Ii]nf")


class Number(Struct, frozen=True, eq=False):
    """The value (-1)**negative * mantissa * 2**exponent.

    `mantissa` is odd, or 0 for zero (which keeps its sign: `-0`) and for infinity. `precision` is the number of bits to
    which results of arithmetic are rounded, and which the decimal form distinguishes. Numbers compare by value.
    """

    negative: bool
    mantissa: int
    exponent: int = 0
    infinite: bool = False
    precision: int = PRECISION

    @property
    def order(self) -> tuple[int, int, int]:
        """A sort key by value; equal numbers have the same key."""
        sign = -1 if self.negative else 1
        if self.infinite:
            return 2 * sign, 0, 0
        if not self.mantissa:
            return 0, 0, 0
        width = self.mantissa.bit_length()
        return sign, sign * (width + self.exponent), sign * (self.mantissa << (_WIDEST - width))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.order == other.order

    def __ne__(self, other: object) -> bool:
        # Otherwise Python would use Struct's method, which compares by identity.
        return not self == other

    def __lt__(self, other: Number) -> bool:
        return self.order < other.order

    def __hash__(self) -> int:
        return hash(self.order)

    def small_integer(self) -> int | None:
        """Return the number as an int if it is whole, of at most 512 bits and not negative zero; else None."""
        if self.infinite or self.exponent < 0 or self.mantissa.bit_length() + self.exponent > PRECISION:
            return None
        if not self.mantissa and self.negative:
            return None
        return (self.mantissa << self.exponent) * (-1 if self.negative else 1)


def from_int(value: int) -> Number:
    """Convert an int, rounded to 512 bits, as if it was parsed from a string."""
    return rounded(value < 0, abs(value), 0)


def counted(value: int) -> Number:
    """Convert an int that was not parsed from a string, with as many bits as it needs, at least 64.

    Raises ValueError for more than 8,192 bits.
    """
    if value.bit_length() > _WIDEST:
        raise ValueError(f"whole numbers of more than {_WIDEST} bits are not supported")
    return rounded(value < 0, abs(value), 0, max(WHOLE_PRECISION, value.bit_length()))


def from_float(value: float) -> Number:
    """Convert a float, which has 53 bits and must not be NaN."""
    negative = math.copysign(1, value) < 0
    if math.isinf(value):
        return Number(negative=negative, mantissa=0, infinite=True, precision=_FLOAT_PRECISION)
    above, below = abs(value).as_integer_ratio()
    return rounded(negative, above, 1 - below.bit_length(), _FLOAT_PRECISION)


def rounded(negative: bool, mantissa: int, exponent: int, precision: int = PRECISION) -> Number:
    """Return mantissa * 2**exponent, rounded to `precision` bits, half to even."""
    return _number(negative, *_round(mantissa, exponent, precision), precision)


def with_precision(value: Number, precision: int) -> Number:
    """Round a number to `precision` bits."""
    if value.infinite:
        return Number(negative=value.negative, mantissa=0, infinite=True, precision=precision)
    return rounded(value.negative, value.mantissa, value.exponent, precision)


def parse_number(text: str) -> Number | None:
    """Parse a decimal number as Go's `big.ParseFloat(text, 10, 512, ToNearestEven)` does; None if it is invalid.

    Accepts `12`, `+1.5`, `.5`, `5.`, `007`, `1e3`, `1p3` (8), and `inf` and `Inf` with or without a sign; not
    `Infinity`, `0x1f`, `1_000` or white space. An exponent out of 32-bit range yields zero or infinity (or, as in
    Go, None if the binary part of the exponent is out of range).
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        infinity = _INFINITY.fullmatch(text)
        return Number(negative=infinity[1] == "-", mantissa=0, infinite=True) if infinity is not None else None
    sign, whole, fraction, marker, power = match.groups(default="")
    negative = sign == "-"
    exponent = _to_exponent(power)
    if exponent is None or not (whole or fraction):
        return None
    mantissa = _to_int(whole + fraction)
    if not mantissa:
        return Number(negative=negative, mantissa=0)
    twos = exponent - len(fraction)
    fives = twos if marker in ("", "e", "E") else -len(fraction)
    if not _MIN_EXPONENT <= mantissa.bit_length() + twos <= _MAX_EXPONENT:
        return None
    return _scale(negative, mantissa, twos, fives)


def _to_exponent(text: str) -> int | None:
    digits = text.lstrip("+-").lstrip("0") or "0"
    # Go reads the exponent into 64 bits.
    if len(digits) > 19:
        return None
    exponent = -int(digits) if text.startswith("-") else int(digits)
    return exponent if -(2**63) <= exponent < 2**63 else None


def _to_int(digits: str) -> int:
    if len(digits) <= _CHUNK:
        return int(digits)
    half = len(digits) // 2
    power: int = 10**half
    return _to_int(digits[:-half]) * power + _to_int(digits[-half:])


def _scale(negative: bool, mantissa: int, twos: int, fives: int) -> Number:
    """Multiply by 5**fives with the precision and the rounding steps of Go's `Float.scan`."""
    if fives == 0:
        return _number(negative, *_round(mantissa, twos, PRECISION))
    power = _power_of_five(abs(fives))
    if power is None:
        return Number(negative=negative, mantissa=0, infinite=fives > 0)
    factor, factor_twos = power
    if fives > 0:
        return _number(negative, *_round(mantissa * factor, twos + factor_twos, PRECISION))
    shift = max(0, PRECISION + 2 + factor.bit_length() - mantissa.bit_length())
    quotient, rest = divmod(mantissa << shift, factor)
    # A sticky bit represents the remainder.
    return _number(negative, *_round(quotient << 1 | (rest != 0), twos - factor_twos - shift - 1, PRECISION))


def _power_of_five(power: int) -> tuple[int, int] | None:
    """Return 5**power as (mantissa, exponent) with 576 bits, computed in Go's order; None if it overflows."""
    if power <= 27:
        return 5**power, 0
    result = (5**27, 0)
    square: tuple[int, int] | None = (5, 0)
    power -= 27
    while power:
        if power & 1:
            if square is None:
                return None
            result = _round(result[0] * square[0], result[1] + square[1], PRECISION + 64)
            if result[0].bit_length() + result[1] > _MAX_EXPONENT:
                return None
        power >>= 1
        if square is not None:
            square = _round(square[0] * square[0], square[1] * 2, PRECISION + 128)
            if square[0].bit_length() + square[1] > _MAX_EXPONENT:
                square = None
    return result


def _round(mantissa: int, exponent: int, bits: int) -> tuple[int, int]:
    """Round a mantissa to `bits` bits, half to even."""
    excess = mantissa.bit_length() - bits
    if excess <= 0:
        return mantissa, exponent
    half = 1 << (excess - 1)
    rest = mantissa & ((half << 1) - 1)
    mantissa >>= excess
    if rest > half or (rest == half and mantissa & 1):
        mantissa += 1
    return mantissa, exponent + excess


def _number(negative: bool, mantissa: int, exponent: int, precision: int = PRECISION) -> Number:
    size = mantissa.bit_length() + exponent
    if mantissa and size > _MAX_EXPONENT:
        return Number(negative=negative, mantissa=0, infinite=True, precision=precision)
    if not mantissa or size < _MIN_EXPONENT:
        return Number(negative=negative, mantissa=0, precision=precision)
    zeros = (mantissa & -mantissa).bit_length() - 1
    return Number(negative=negative, mantissa=mantissa >> zeros, exponent=exponent + zeros, precision=precision)


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
    return sign + _plain(*_shortest(number))


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
    return sign + (_plain(digits, point) if -4 <= point - 1 < limit else _scientific(digits, point))


def format_scientific(number: Number, places: int) -> str:
    """Format a finite number with `places` digits after the point and an exponent: `1.50e+03`."""
    sign = "-" if number.negative else ""
    if not number.mantissa:
        return f"{sign}{_scientific('0'.ljust(places + 1, '0'), 1)}"
    digits, point = _rounded(_expand(number, number.mantissa, number.exponent, places), places + 1)
    return sign + _scientific(digits.ljust(places + 1, "0"), point)


def _plain(digits: str, point: int) -> str:
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    if point >= len(digits):
        return f"{digits}{'0' * (point - len(digits))}"
    return f"{digits[:point]}.{digits[point:]}"


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
    return _Decimal(digits if rest else digits.rstrip("0"), len(digits) - scale, exact=not rest)


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


def negate(value: Number) -> Number:
    """Return the negated number; zero changes its sign, too."""
    return replace(value, negative=not value.negative)


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
    """Return the product; None for zero times infinity. Its precision may exceed the operands' precision."""
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
    infinity = Number(negative=negative, mantissa=0, infinite=True, precision=precision)
    if not _is_something(right):
        return infinity if _is_something(left) else None
    if left.infinite:
        return None if right.infinite else infinity
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
        return replace(value, negative=value.negative and value.mantissa != 0)
    whole = value.mantissa >> -value.exponent
    return rounded(value.negative and whole != 0, whole, 0, value.precision)


def is_whole(value: Number) -> bool:
    """Return whether the number is an integer."""
    return not value.infinite and (value.exponent >= 0 or not value.mantissa)


def _is_something(value: Number) -> bool:
    return bool(value.mantissa) or value.infinite


def _shifted(value: Number, exponent: int) -> int:
    return (value.mantissa << (value.exponent - exponent)) * (-1 if value.negative else 1)
