"""Functions of numbers. Source: go-cty `stdlib/number.go`."""

from __future__ import annotations

from statefmt.config.construct import number
from statefmt.config.functions.registry import FunctionError, Parameter, function
from statefmt.config.functions.shapes import number_of, text_of, whole_of
from statefmt.config.values import Part
from statefmt.cty import NUMBER, STRING, Number
from statefmt.cty.arithmetic import add, negate, truncate
from statefmt.cty.number import from_int

_NUM = Parameter("num", NUMBER)


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
    outward = whole != value and value.negative == (direction < 0)
    return (add(whole, from_int(direction)) or whole) if outward else whole


@function(rest=Parameter("numbers", NUMBER), returns=NUMBER)
def max_(*values: Part) -> Part:
    if not values:
        raise FunctionError("must pass at least one number")
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


@function(Parameter("number", STRING), Parameter("base", NUMBER), returns=NUMBER)
def parseint(value: Part, base: Part) -> Part:
    given, radix = text_of(value), whole_of(base)
    if not 2 <= radix <= 62:
        raise FunctionError("base must be a whole number between 2 and 62 inclusive", 1)
    if radix > 36:
        raise FunctionError("statetool does not know bases above 36", 1)
    digits = given.removeprefix("-") if given.startswith("-") else given.removeprefix("+")
    try:
        if not digits.isascii() or not digits.isalnum():
            raise ValueError
        return number(int(given, radix))
    except ValueError:
        raise FunctionError(f"cannot parse {given!r} as a base {radix} integer", 0) from None
