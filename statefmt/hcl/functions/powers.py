"""`pow` and `log` on floats. Each step rounds as in Go: other implementations give different results.

Source: Go `math/pow.go`, `math/log.go` (the algorithm of FreeBSD's `e_log.c`).
"""

from __future__ import annotations

import math
from typing import Final

from statefmt.hcl.functions.registry import FunctionError, Parameter, function
from statefmt.hcl.functions.shapes import float_of
from statefmt.hcl.value import Part, Unknown
from statefmt.hcl.values.construct import number
from statefmt.model.cty import NUMBER
from statefmt.model.cty.number import from_float

_NUM: Final = Parameter("num", NUMBER)
# Coefficients of the series, and the natural logarithm of 2 in two parts.
_EVEN: Final = (3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01)
_ODD: Final = (6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01, 1.479819860511658591e-01)
_LN2_HIGH: Final = 6.93147180369123816490e-01
_LN2_LOW: Final = 1.90821492927058770002e-10
_FAR: Final = 1 << 12


@function(_NUM, Parameter("power", NUMBER), returns=NUMBER)
def pow_(value: Part, power: Part) -> Part:
    base, exponent = float_of(value), float_of(power)
    if abs(exponent) == 0.5 and base >= 0:
        root = math.sqrt(base)
        return _result(root if exponent > 0 else _quotient(1.0, root))
    if not exponent.is_integer():
        if base < 0:
            raise FunctionError("a fractional power of a negative number is not a number")
        return Unknown("statetool does not evaluate powers with a fractional part")
    if base == 0 or math.isinf(base) or abs(exponent) >= 1 << 63:
        return _result(_extreme(base, exponent))
    return _result(_whole_power(base, exponent))


def _extreme(base: float, exponent: float) -> float:
    if exponent == 0 or abs(base) == 1:
        return base if exponent % 2 else 1.0
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):
        return math.inf


def _whole_power(base: float, exponent: float) -> float:
    """Compute a power by squaring, with the exponent of two kept apart."""
    found, twos = 1.0, 0
    square, square_twos = math.frexp(base)
    bits = int(abs(exponent))
    while bits:
        if abs(square_twos) > _FAR:
            twos += square_twos
            break
        if bits & 1:
            found *= square
            twos += square_twos
        square *= square
        square_twos *= 2
        if square < 0.5:
            square += square
            square_twos -= 1
        bits >>= 1
    if exponent < 0:
        found, twos = 1.0 / found, -twos
    try:
        return math.ldexp(found, twos)
    except OverflowError:
        return math.inf


@function(_NUM, Parameter("base", NUMBER), returns=NUMBER)
def log(value: Part, base: Part) -> Part:
    return _result(_quotient(_natural(float_of(value)), _natural(float_of(base))))


def _natural(value: float) -> float:
    if value <= 0:
        return -math.inf if value == 0 else math.nan
    if math.isinf(value):
        return value
    fraction, twos = math.frexp(value)
    if fraction < math.sqrt(2) / 2:
        fraction *= 2
        twos -= 1
    f = fraction - 1
    s = f / (2 + f)
    square = s * s
    fourth = square * square
    odd = square * (_ODD[0] + fourth * (_ODD[1] + fourth * (_ODD[2] + fourth * _ODD[3])))
    even = fourth * (_EVEN[0] + fourth * (_EVEN[1] + fourth * _EVEN[2]))
    half = 0.5 * f * f
    return twos * _LN2_HIGH - ((half - (s * (half + (odd + even)) + twos * _LN2_LOW)) - f)


def _quotient(above: float, below: float) -> float:
    if below == 0:
        return math.nan if above == 0 or math.isnan(above) else math.copysign(math.inf, above) * math.copysign(1, below)
    return above / below


def _result(value: float) -> Part:
    if math.isnan(value):
        raise FunctionError("the result is not a number")
    return number(from_float(value))
