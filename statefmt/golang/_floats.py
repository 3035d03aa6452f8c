"""Encodes float64 values as Go's json.Marshal does."""

from __future__ import annotations

import math


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
