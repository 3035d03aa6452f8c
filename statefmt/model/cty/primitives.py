"""Converts the data of primitive values. Source: go-cty `convert/conversion_primitive.go`."""

from __future__ import annotations

from statefmt.model.cty.decimals import format_shortest
from statefmt.model.cty.errors import CtyValueError
from statefmt.model.cty.number import Number, parse_number
from statefmt.model.cty.types import NUMBER, STRING, PrimitiveType


def convert_primitive(data: bool | str | Number, wanted: PrimitiveType) -> bool | str | Number:
    """Convert data of another primitive type to `wanted`, of which one is STRING.

    Raises CtyValueError with go-cty's message, and CtyEncodeError for numbers of more than 100,000 digits.
    """
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, Number):
        if data.infinite:
            return "-Inf" if data.negative else "+Inf"
        return format_shortest(data)
    if wanted == NUMBER:
        number = parse_number(data)
        if number is None:
            raise CtyValueError("a number is required")
        return number
    assert wanted != STRING
    if data in ("true", "1"):
        return True
    if data in ("false", "0"):
        return False
    lower = data.lower()
    hint = f'; to convert from string, use lowercase "{lower}"' if lower in ("true", "false") else ""
    raise CtyValueError(f"a bool is required{hint}")
