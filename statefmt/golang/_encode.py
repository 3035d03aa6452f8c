"""Writes a JSON value as Go does after reading it into an interface{}: members sorted, numbers rounded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from statefmt.golang._floats import encode_float
from statefmt.golang._strings import encode_string
from statefmt.golang.parse import JSONValue, Members, NumberText

PlainJSON: TypeAlias = "JSONValue | int | float | Sequence[PlainJSON] | Mapping[str, PlainJSON]"


def encode_value(value: PlainJSON) -> bytes:
    """Give the compact JSON that Go's json.Marshal makes of what json.Unmarshal put into an interface{}.

    Takes what `loads_exact` or `json.loads` give. Numbers pass through float64 (`12345678901234567890`
    becomes `12345678901234567000`), members are sorted by the bytes of their names and the last of a
    repeated name wins. Raises ValueError for a number beyond float64 and for values nested too deeply.
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
        # Members that are repeated are encoded, too: a number beyond float64 is an error even there.
        pairs = value if isinstance(value, Members) else value.items()
        by_name = {name: _encode(item) for name, item in pairs}
        # Code point order is the order of the UTF-8 bytes.
        return b"{%b}" % b",".join(encode_string(name) + b":" + by_name[name] for name in sorted(by_name))
    return b"[%b]" % b",".join(map(_encode, value))


def float64(number: NumberText | float) -> float:
    """A JSON number as json.Unmarshal puts it into an interface{}. Raises ValueError for one beyond float64."""
    try:
        value = float(number)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        raise ValueError(f"json: cannot unmarshal number {number} into Go value of type float64")
    return value
