"""Encodes and converts float64 values as Go does."""

from __future__ import annotations

import math
from typing import Final

_INT64: Final = range(-(2**63), 2**63)


def encode_float(value: float) -> bytes:
    """Encode `value` with the shortest digits that round-trip; with an exponent below 1e-6 and from 1e21 on.

    Raises ValueError for infinities and NaN, which JSON cannot represent.
    """
    if not math.isfinite(value):
        raise ValueError(f"json: unsupported value: {value}")
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    # value = 0.DIGITS * 10**point
    digits = (whole + fraction).lstrip("0")
    point = len(digits) - len(fraction) + int(exponent or 0)
    digits = digits.rstrip("0")
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if not digits:
        text = "0"
    elif not 1e-6 <= abs(value) < 1e21:
        tail = "." + digits[1:] if len(digits) > 1 else ""
        text = f"{digits[0]}{tail}e{point - 1:+d}"
    elif point <= 0:
        text = "0." + "0" * -point + digits
    elif point >= len(digits):
        text = digits + "0" * (point - len(digits))
    else:
        text = f"{digits[:point]}.{digits[point:]}"
    return (sign + text).encode("ascii")


def int_of_number(number: float | str) -> int:
    """Convert a JSON number to a 64-bit integer, by way of a 64-bit float, as Go does on amd64.

    What the integer cannot hold becomes the lowest one. Raises OverflowError if the float cannot hold the number.
    """
    whole = int(float(number))
    return whole if whole in _INT64 else _INT64.start
