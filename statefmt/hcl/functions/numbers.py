"""Functions on numbers, and functions that reduce many values to one, such as `coalesce`, `one`, `alltrue` and `sum`.

Each step of `pow` and `log` rounds as in Go: other implementations give different results.

Sources: go-cty `stdlib/number.go`, `collection.go`, `sequence.go`; OpenTofu `internal/lang/funcs/collection.go`; Go
`math/pow.go`, `math/log.go` (the algorithm of FreeBSD's `e_log.c`).
"""

from __future__ import annotations

import math
import re
from typing import Final

from statefmt.golang import quote
from statefmt.hcl.functions.registry import (
    FunctionError,
    Parameter,
    float_of,
    function,
    is_null,
    is_sequence,
    number_of,
    text_of,
    whole_of,
)
from statefmt.hcl.operations import ConversionError, convert
from statefmt.hcl.value import (
    FALSE,
    TRUE,
    Part,
    Unknown,
    Value,
    children,
    first_unknown,
    list_of,
    number,
    retyped,
    truth,
)
from statefmt.model.cty import BOOL, DYNAMIC, NUMBER, STRING, ListType, SetType, TupleType, type_name
from statefmt.model.cty.number import Number, add, counted, from_float, negate, truncate, with_precision
from statefmt.model.cty.unify import unify

_NUM = Parameter("num", NUMBER)
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGEST: Final = 1000


@function(_NUM, returns=NUMBER)
def abs_(value: Part) -> Part:
    found = number_of(value)
    return number(negate(found) if found.negative else found)


@function(_NUM, returns=NUMBER)
def ceil(value: Part) -> Part:
    return number(_rounded(number_of(value), 1))


@function(_NUM, returns=NUMBER)
def floor(value: Part) -> Part:
    return number(_rounded(number_of(value), -1))


def _rounded(value: Number, direction: int) -> Number:
    whole = truncate(value)
    if whole == value or value.negative == (direction > 0):
        return whole
    return with_precision(add(whole, counted(direction)) or whole, value.precision)


@function(rest=Parameter("numbers", NUMBER), returns=NUMBER)
def max_(*values: Part) -> Part:
    if not values:
        raise FunctionError("must pass at least one number")
    # Of equal numbers, the first counts: 0 and -0 are equal but differ.
    return number(max(map(number_of, values)))


@function(rest=Parameter("numbers", NUMBER), returns=NUMBER)
def min_(*values: Part) -> Part:
    if not values:
        raise FunctionError("must pass at least one number")
    return number(min(map(number_of, values)))


@function(_NUM, returns=NUMBER)
def signum(value: Part) -> Part:
    found = whole_of(value)
    return number((found > 0) - (found < 0))


@function(Parameter("number"), Parameter("base", NUMBER), returns=NUMBER)
def parseint(value: Part, base: Part) -> Part:
    if value.type != STRING:
        raise FunctionError(f"first argument must be a string, not {type_name(value.type)}", 0)
    given, radix = text_of(value), whole_of(base)
    if not 2 <= radix <= 62:
        raise FunctionError("base must be a whole number between 2 and 62 inclusive", 1)
    # Up to base 36 the case of letters does not matter; above, lower case comes before upper case.
    known = _DIGITS[:radix] if radix > 36 else _DIGITS[:radix] + _DIGITS[10:radix].upper()
    match = re.fullmatch(rf"([+-]?)([{known}]+)", given)
    if match is None:
        raise FunctionError(f"cannot parse {quote(given)} as a base {radix} integer", 0)
    if len(match[2]) > _LONGEST:
        return Unknown(f"statetool does not evaluate numbers of more than {_LONGEST} digits")
    found = 0
    for digit in match[2].lower() if radix <= 36 else match[2]:
        found = found * radix + _DIGITS.index(digit)
    return number(-found if match[1] == "-" else found)


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


_ONE = "must be a list, set, or tuple value with either zero or one elements"


@function(rest=Parameter("vals", null=True, parts=True, unknown=True))
def coalesce(*parts: Part) -> Part:
    common = unify([part.type for part in parts])
    if common is None:
        if any(first_unknown((part,)) is not None for part in parts):
            common = DYNAMIC
        else:
            raise FunctionError("all arguments must have the same type")
    for part in parts:
        found = convert(part, common)
        if isinstance(found, Unknown):
            return retyped(found, common)
        if found.data is not None and not (common == STRING and found.data == ""):
            return found
    raise FunctionError("no non-null, non-empty-string arguments")


@function(rest=Parameter("vals", null=True, parts=True, unknown=True))
def coalescelist(*parts: Part) -> Part:
    if not parts:
        raise FunctionError("at least one argument is required")
    for part in parts:
        if isinstance(part, Unknown):
            return retyped(part, DYNAMIC)
        if not isinstance(part.type, (ListType, TupleType)):
            raise FunctionError("coalescelist arguments must be lists or tuples")
    for part in parts:
        if children(part):
            return part
    raise FunctionError("no non-null arguments")


@function(Parameter("list", parts=True))
def one(sequence: Part) -> Part:
    items = children(sequence)
    if not is_sequence(sequence) or len(items) > 1:
        raise FunctionError(_ONE, 0)
    empty = sequence.type.element if isinstance(sequence.type, (ListType, SetType)) else DYNAMIC
    return items[0] if items else Value(empty, None)


@function(Parameter("list", ListType(BOOL), parts=True), returns=BOOL)
def alltrue(sequence: Part) -> Part:
    for item in children(sequence):
        if isinstance(item, Unknown):
            return item
        if item.data is not True:
            return FALSE
    return TRUE


@function(Parameter("list", ListType(BOOL), parts=True), returns=BOOL)
def anytrue(sequence: Part) -> Part:
    items = children(sequence)
    if any(isinstance(item, Value) and item.data is True for item in items):
        return TRUE
    unknown = first_unknown(items)
    return truth(False) if unknown is None else retyped(unknown, BOOL)


@function(Parameter("list"), returns=NUMBER)
def sum_(sequence: Part) -> Part:
    detail = "argument must be list, set, or tuple of number values"
    if not is_sequence(sequence):
        raise FunctionError(detail, 0)
    if not children(sequence):
        raise FunctionError("cannot sum an empty list", 0)
    total: Number | None = None
    for item in children(sequence):
        if is_null(item):
            raise FunctionError(detail, 0)
        try:
            found = number_of(convert(item, NUMBER))
        except ConversionError:
            raise FunctionError(detail, 0) from None
        total = found if total is None else add(total, found)
        if total is None:
            raise FunctionError("can't compute sum of opposing infinities")
    assert total is not None
    return number(total)


@function(rest=Parameter("params", NUMBER), returns=ListType(NUMBER), name="range")
def range_(*bounds: Part) -> Part:
    numbers = [number_of(bound) for bound in bounds]
    if not 1 <= len(numbers) <= 3:
        raise FunctionError("must have one, two, or three arguments")
    # In Go this zero is a float, whose precision shows in quotients of the results.
    start, end = (from_float(0.0), numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    step = numbers[2] if len(numbers) == 3 else counted(-1 if end < start else 1)
    down = step.negative and step.mantissa != 0
    if end < start if not down else start < end:
        detail = "end must be greater than start when step is positive, and less when it is negative"
        raise FunctionError(detail, 1)
    found: list[Part] = []
    at = start
    while (end < at) if down else (at < end):
        if len(found) >= 1024:
            raise FunctionError("more than 1024 values were generated")
        found.append(number(at))
        at = add(at, step) or end
    return list_of(NUMBER, found)
