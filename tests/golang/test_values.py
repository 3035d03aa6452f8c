"""Numbers and whole values as Go writes them after reading them into an interface{}."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, strategies as st

from statefmt.golang import encode_float, encode_value, loads_exact
from tests.tables import each_row

FLOATS = [
    (0.0, b"0"),
    (-0.0, b"-0"),
    (3.0, b"3"),
    (1.5, b"1.5"),
    (0.1, b"0.1"),
    (-17.25, b"-17.25"),
    (1e20, b"100000000000000000000"),
    (1e21, b"1e+21"),
    (1.25e21, b"1.25e+21"),
    (1e-6, b"0.000001"),
    (9.99e-7, b"9.99e-7"),
    (1e-7, b"1e-7"),
    (-1e-10, b"-1e-10"),
    (1e100, b"1e+100"),
    (12345678901234567890.0, b"12345678901234567000"),
    (5e-324, b"5e-324"),
    (1.7976931348623157e308, b"1.7976931348623157e+308"),
]

VALUES = [
    ("scalars", b'[null, true, false, "x"]', b'[null,true,false,"x"]'),
    ("empty", b'{"a": {}, "b": [ ]}', b'{"a":{},"b":[]}'),
    ("members sorted by bytes", '{"é":1,"b":2,"B":3,"_":4}'.encode(), '{"B":3,"_":4,"b":2,"é":1}'.encode()),
    ("last of a repeated member", b'{"a":{"x":1},"a":{"y":2}}', b'{"a":{"y":2}}'),
    ("numbers through float64", b"[12345678901234567890,1.50,1E2,-0]", b"[12345678901234567000,1.5,100,-0]"),
    ("underflow", b"1e-400", b"0"),
    ("html in names and values", b'{"<k>":"&"}', b'{"\\u003ck\\u003e":"\\u0026"}'),
    ("lone surrogate", b'"\\ud800"', b'"\xef\xbf\xbd"'),
]


@each_row(("value", "expected"), FLOATS)
def test_float(value: float, expected: bytes) -> None:
    assert encode_float(value) == expected


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_float_that_json_cannot_express(value: float) -> None:
    with pytest.raises(ValueError, match="unsupported value"):
        encode_float(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_float_round_trips(value: float) -> None:
    encoded = encode_float(value)
    assert float(encoded) == value
    assert math.copysign(1, float(encoded)) == math.copysign(1, value)
    assert (b"e" in encoded) == (value != 0 and not 1e-6 <= abs(value) < 1e21)


@pytest.mark.parametrize(("raw", "expected"), [case[1:] for case in VALUES], ids=[c[0] for c in VALUES])
def test_value(raw: bytes, expected: bytes) -> None:
    assert encode_value(loads_exact(raw)) == expected
    assert encode_value(loads_exact(expected)) == expected


@pytest.mark.parametrize("raw", [b"1e400", b"[2e308]", b'{"a":1e999,"a":1}'])
def test_number_beyond_float64(raw: bytes) -> None:
    with pytest.raises(ValueError, match="into Go value of type float64"):
        encode_value(loads_exact(raw))


def test_plain_python_values_too() -> None:
    assert encode_value({"b": [1, 2.5, 10**20], "a": None}) == b'{"a":null,"b":[1,2.5,100000000000000000000]}'
    with pytest.raises(ValueError, match="float64"):
        encode_value(10**400)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@given(JSON)
def test_value_means_the_same(value: object) -> None:
    encoded = encode_value(loads_exact(json.dumps(value).encode()))
    assert json.loads(encoded) == value
    assert encode_value(loads_exact(encoded)) == encoded
