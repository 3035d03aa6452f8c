"""Encodes JSON values as Go does after decoding them into an interface{}: members sorted, numbers rounded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from statefmt.golang._floats import encode_float
from statefmt.golang._strings import encode_string
from statefmt.golang.parse import JSONValue, Members, NumberText

PlainJSON: TypeAlias = "JSONValue | int | float | Sequence[PlainJSON] | Mapping[str, PlainJSON]"


def encode_value(value: PlainJSON) -> bytes:
    """Encode a value as Go's json.Marshal does after json.Unmarshal into an interface{}.

    Takes the results of `loads_exact` and `json.loads`. Numbers pass through float64 (`12345678901234567890`
    becomes `12345678901234567000`), members are sorted by the bytes of their names, and the last of several
    members with the same name wins. Raises ValueError for numbers out of range and values nested too deeply.
    """
    try:
        return _encode(value)
    except RecursionError:
        raise ValueError("JSON is nested too deeply") from None


def _encode(value: PlainJSON) -> bytes:
    if value is None:
        return b"null"
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, (NumberText, int, float)):
        return encode_float(float64(value))
    if isinstance(value, str):
        return encode_string(value)
    if isinstance(value, (Members, Mapping)):
        # Encode overridden members, too: Go refuses a number out of range even there.
        pairs = value if isinstance(value, Members) else value.items()
        by_name = {name: _encode(item) for name, item in pairs}
        # Code points sort like their UTF-8 bytes.
        return b"{%b}" % b",".join(encode_string(name) + b":" + by_name[name] for name in sorted(by_name))
    return b"[%b]" % b",".join(map(_encode, value))


def float64(number: NumberText | float) -> float:
    """Convert a JSON number as json.Unmarshal does for an interface{}. Raises ValueError if it is out of range."""
    try:
        value = float(number)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        raise ValueError(f"json: cannot unmarshal number {number} into Go value of type float64")
    return value
