"""Functions on numbers. Source: go-cty `stdlib/number.go`."""

from __future__ import annotations

import re
from typing import Final

from statefmt.golang import quote
from statefmt.hcl.functions.registry import FunctionError, Parameter, function
from statefmt.hcl.functions.shapes import number_of, text_of, whole_of
from statefmt.hcl.value import Part, Unknown
from statefmt.hcl.values.construct import number
from statefmt.model.cty import NUMBER, STRING, Number
from statefmt.model.cty.arithmetic import add, negate, truncate
from statefmt.model.cty.number import counted, with_precision
from statefmt.model.cty.type_names import type_name

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
    # Of equal numbers the first one counts: 0 and -0 are equal but differ.
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
