"""Numbers as go-cty reads them, with 512 bits, and Go's normal form C."""

from __future__ import annotations

import pytest

from statefmt.golang import nfc
from statefmt.model.addrs.traversal import whole_number
from tests.tables import each_row

MARKS = "\u0301" * 31

NUMBERS = {
    "zero": ("0", 0),
    "many zeros": ("0" * 5000, 0),
    "zero with an exponent": ("0e999999", 0),
    "a fraction of zeros": ("7.000", 7),
    "zeros that an exponent removes": ("100e-2", 1),
    "the largest": ("9223372036854775807", 2**63 - 1),
    "one more": ("9223372036854775808", None),
    "a large exponent": ("1e18", 10**18),
    "too large an exponent": ("1e19", None),
    "a huge exponent": ("1e2000000000", None),
    "a half": ("0.5", None),
    "a tiny fraction": ("1e-400", None),
    "a fraction within 512 bits": (f"1.{'0' * 150}1", None),
    "a fraction beyond 512 bits, rounded down": (f"1.{'0' * 160}1", 1),
    "a fraction beyond 512 bits, rounded up": (f"1.{'9' * 160}", 2),
    "a fraction just within 512 bits": (f"1.{'0' * 154}8", None),
    "a fraction just beyond 512 bits": (f"1.{'0' * 154}7", 1),
    "a fraction of nines below one": (f"0.{'9' * 160}", 1),
    "a fraction with more digits than are looked at": (f"1.{'0' * 5000}1", 1),
    "thousands of digits that do matter": (f"1.{'3' * 5000}", None),
}


@each_row(("literal", "value"), NUMBERS.values(), ids=NUMBERS)
def test_whole_numbers(literal: str, value: int | None) -> None:
    assert whole_number(literal) == value


@pytest.mark.parametrize(
    "literal", ["1.2.3", "1e2e3", "1e5.5", "1e9999999999", "1e-9999999999", "0e99999999999999999999"]
)
def test_not_a_number(literal: str) -> None:
    with pytest.raises(ValueError):
        whole_number(literal)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        pytest.param("e\u0301", "é", id="composed"),
        pytest.param("a" + MARKS[:30], "á" + MARKS[:29], id="thirty marks stay together"),
        pytest.param("x" + MARKS, "x" + MARKS[:30] + "\u034f\u0301", id="a joiner parts the thirty-first"),
        pytest.param("é" + MARKS[:30], "é" + MARKS[:29] + "\u034f\u0301", id="a mark within a letter counts"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert nfc(text) == normal
