"""Numbers; the expected texts of the tables are what Go's math/big gives."""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from statefmt.model.cty import CtyEncodeError
from statefmt.model.cty.number import Number, format_general, format_shortest, from_float, from_int, parse_number
from tests.tables import each_row

TWO_512 = str(2**512)

# text, shortest form, ten digits
NUMBERS = [
    ("3.0", "3", "3"),
    ("-0", "-0", "-0"),
    ("-0.0e5", "-0", "-0"),
    ("0e99", "0", "0"),
    ("0.1", "0.1", "0.1"),
    ("1.500", "1.5", "1.5"),
    ("+5", "5", "5"),
    (".5", "0.5", "0.5"),
    ("5.", "5", "5"),
    ("-.5e1", "-5", "-5"),
    ("007", "7", "7"),
    ("2.5E-3", "0.0025", "0.0025"),
    ("1e-7", "0.0000001", "1e-07"),
    ("0.0001234", "0.0001234", "0.0001234"),
    ("0.00001234", "0.00001234", "1.234e-05"),
    ("-1e-5", "-0.00001", "-1e-05"),
    ("9999999999", "9999999999", "9999999999"),
    ("1e10", "10000000000", "1e+10"),
    ("99999999999", "99999999999", "1e+11"),
    ("9999999999.5", "9999999999.5", "1e+10"),
    ("1234567890.5", "1234567890.5", "1234567890"),
    ("12345678905", "12345678905", "1.23456789e+10"),
    ("0.12345678905", "0.12345678905", "0.123456789"),
    ("1p3", "8", "8"),
    ("1P-3", "0.125", "0.125"),
    ("1e23", "1" + "0" * 23, "1e+23"),
    ("1e155", "1" + "0" * 155, "1e+155"),
    ("1e400", "1" + "0" * 400, "1e+400"),
    ("1e-400", "0." + "0" * 399 + "1", "1e-400"),
    ("0.3" + "0" * 62 + "4", "0.3" + "0" * 62 + "4", "0.3"),
    ("0." + "3" * 200, "0." + "3" * 154 + "5", "0.3333333333"),
    (str(2**512 - 1), str(2**512 - 1), "1.340780793e+154"),
    (TWO_512, TWO_512, "1.340780793e+154"),
    (str(2**512 + 1), TWO_512, "1.340780793e+154"),
    # Two more ends in 0, but is half-way to the next number, which takes it for itself.
    (str(4 * (2**511 + 9)), str(4 * (2**511 + 9)), "2.681561586e+154"),
    ("9" * 200, "1" + "0" * 200, "1e+200"),
    ("9" * 9000 + "e-9000", "1", "1"),
    ("1e-2147483646", "0", "0"),
]

REFUSED = ["", "+", ".", "-.", "e5", "1e", "1e+", "--1", "+-1", "0x1f", "0b1", "1_000", "1,5", " 1", "1 ", "1\n"]
REFUSED += [
    "Infinity",
    "INF",
    "NaN",
    "true",
    "\u0661",
    "1e99999999999999999999",
    "0e99999999999999999999",
    "1e2147483647",
]


@each_row(("text", "shortest", "general"), NUMBERS, ids=[case[0][:40] for case in NUMBERS])
def test_format(text: str, shortest: str, general: str) -> None:
    number = parse_number(text)
    assert number is not None
    assert format_shortest(number) == shortest
    assert format_general(number) == general


@each_row("text", REFUSED)
def test_refused(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("text", "general"),
    [("inf", "+Inf"), ("+Inf", "+Inf"), ("-inf", "-Inf"), ("1e924848637", "+Inf"), ("-1e999999999", "-Inf")],
)
def test_infinite(text: str, general: str) -> None:
    number = parse_number(text)
    assert number is not None
    assert format_general(number) == general
    with pytest.raises(CtyEncodeError, match="cannot serialize infinity as JSON"):
        format_shortest(number)


@pytest.mark.parametrize("text", ["1e600000000", "1e-600000000", "1e100002", "1p2147483646"])
def test_absurd_exponents_are_refused_at_once(text: str) -> None:
    number = parse_number(text)
    assert number is not None
    with pytest.raises(CtyEncodeError, match="digits"):
        format_shortest(number)
    with pytest.raises(CtyEncodeError, match="digits"):
        format_general(number)


def test_order() -> None:
    texts = ["-inf", "-1e400", "-2", "-1.5", "-1e-400", "-0", "1e-400", "0.1", "1", "1.5", "2", "10", "1e400", "inf"]
    numbers = [parse_number(text) for text in texts]
    assert all(left < right for left, right in pairwise(numbers) if left and right)
    assert parse_number("-0") == parse_number("0.0")
    assert parse_number("1e1") == parse_number("10.00") == from_int(10)
    assert len({parse_number("1e1"), parse_number("10"), parse_number("1p1")}) == 2


def value_of(number: Number) -> Fraction:
    return Fraction(-1 if number.negative else 1) * number.mantissa * Fraction(2) ** number.exponent


DECIMALS = st.builds(
    lambda negative, digits, point, exponent: (
        f"{'-' * negative}{digits[:point]}.{digits[point:]}e{exponent}" if digits[point:] else f"{digits}e{exponent}"
    ),
    st.booleans(),
    st.text(alphabet="0123456789", min_size=1, max_size=200),
    st.integers(0, 200),
    st.integers(-500, 500),
)


@given(DECIMALS)
def test_nearest_and_shortest(text: str) -> None:
    number = parse_number(text)
    assert number is not None
    exact, value = Fraction(text), value_of(number)
    assert number.mantissa.bit_length() <= 512
    assert abs(exact - value) * 2**512 <= abs(exact)
    shortest = format_shortest(number)
    assert parse_number(shortest) == number
    digits = shortest.lstrip("-0.").replace(".", "").rstrip("0")
    if len(digits) > 1:
        step = Fraction(10) ** (Decimal(shortest).adjusted() - len(digits) + 2)
        cut = abs(Fraction(shortest)) // step * step
        for shorter in (cut, cut + step):
            near = parse_number(f"{shorter.numerator}e0") if shorter.denominator == 1 else None
            assert near is None or value_of(near) != abs(value)


@given(st.integers(-(2**512), 2**512))
def test_integers_keep_all_digits(value: int) -> None:
    number = parse_number(str(value))
    assert number == from_int(value)
    assert number is not None and format_shortest(number) == str(value)
    assert number.small_integer() == (value if abs(value) < 2**512 else None)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=30, min_value=-(10**30), max_value=10**30))
def test_decimals_of_usual_size_stay(value: Decimal) -> None:
    number = parse_number(f"{value:f}")
    plain = f"{value:f}".rstrip("0").rstrip(".") if "." in f"{value:f}" else f"{value:f}"
    assert number is not None and format_shortest(number) == plain


@given(DECIMALS, DECIMALS)
def test_order_is_by_value(left_text: str, right_text: str) -> None:
    left, right = parse_number(left_text), parse_number(right_text)
    assert left is not None and right is not None
    assert (left < right) == (value_of(left) < value_of(right))
    assert (left == right) == (value_of(left) == value_of(right))


def test_numbers_differ_by_value_only() -> None:
    one, other = parse_number("1"), from_float(1.0)
    assert one == other
    assert not operator.ne(one, other)
    assert one != parse_number("2")
