"""Converts strings to primitive types. Source: go-cty `convert/conversion_primitive.go`."""

from __future__ import annotations

from statefmt.golang.normalize import nfc
from statefmt.model.cty.errors import CtyValueError
from statefmt.model.cty.number import Number, parse_number
from statefmt.model.cty.types import BOOL, NUMBER, PrimitiveType


def primitive_from_text(text: str, of: PrimitiveType) -> bool | str | Number:
    """Convert a string to data of a primitive type; `"1"` and `"0"` are bools, and strings become NFC.

    Raises CtyValueError with go-cty's detail.
    """
    if of == BOOL:
        return _to_bool(nfc(text))
    if of == NUMBER:
        number = parse_number(text)
        if number is None:
            raise CtyValueError("a number is required")
        return number
    return nfc(text)


def _to_bool(text: str) -> bool:
    if text in ("true", "1"):
        return True
    if text in ("false", "0"):
        return False
    if text.lower() in ("true", "false"):
        raise CtyValueError(f'a bool is required; to convert from string, use lowercase "{text.lower()}"')
    raise CtyValueError("a bool is required")
