"""A number comes as an int or a float only where Python writes it as the state does; otherwise as a Decimal."""

from __future__ import annotations

import copy
import json
import math
import pickle
from decimal import Decimal, localcontext
from typing import Any

from hypothesis import example, given, strategies as st

from statefmt.library.values import ExactDecimal, json_text
from tests.library.values.values import attributes
from tests.tables import each_row

FORTY: str = "1234567890123456789012345678901234567890"

# What a JSON number may be: RFC 8259, section 6.
NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,5})?", fullmatch=True)


def _number(text: str) -> Any:
    return attributes(f'{{"n": {text}}}')["n"]


@each_row(
    ("text", "value"),
    [
        ("0", 0),
        ("-7", -7),
        (FORTY, int(FORTY)),
        ("9007199254740993", 9007199254740993),
        ("1.0", 1.0),
        ("0.1", 0.1),
        ("-0.0", -0.0),
        ("1e+16", 1e16),
        ("-0", Decimal("-0")),
        ("1.50", Decimal("1.50")),
        ("1e3", Decimal(1000)),
        ("1E+3", Decimal(1000)),
        ("1e-7", Decimal("1e-7")),
        ("1e400", Decimal("1e400")),
        ("0.1000000000000000055511151231257827", Decimal("0.1000000000000000055511151231257827")),
        ("9" * 5000, Decimal("9" * 5000)),
        # Exponents beyond those of a Decimal.
        ("1e9999999999999999999999", Decimal("Infinity")),
        ("-1e9999999999999999999999", Decimal("-Infinity")),
        ("-1e-9999999999999999999999", Decimal("-0")),
        ("0.0e9999999999999999999999", Decimal(0)),
    ],
)
def test_a_number(text: str, value: float | Decimal) -> None:
    found = _number(text)
    assert found == value
    assert type(found) is (ExactDecimal if isinstance(value, Decimal) else type(value))
    assert str(found) == text
    assert type(str(found)) is str
    # Zeros are equal with any sign.
    is_negative = found.is_signed() if isinstance(found, Decimal) else math.copysign(1, found) < 0
    assert is_negative == text.startswith("-")


@given(NUMBERS)
@example("1e5")
@example("-0e0")
@example("100000000000000000000000")
def test_no_number_changes(text: str) -> None:
    found = _number(text)
    assert str(found) == f"{found}" == text
    assert json_text(found) == text.encode()
    exact = json.loads(text, parse_int=Decimal, parse_float=Decimal)
    if type(found) is float:
        assert Decimal(repr(found)) == exact
    else:
        assert found == exact
        assert hash(found) == hash(exact)


@given(NUMBERS)
def test_copies_keep_the_text(text: str) -> None:
    found = _number(text)
    for other in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (type(other), str(other)) == (type(found), text)


def test_a_decimal_computes_and_prints() -> None:
    price = _number("1.50")
    assert isinstance(price, Decimal)
    assert price * 2 == Decimal("3.00")
    assert type(price * 2) is Decimal
    assert (f"{price:.1f}", repr(price)) == ("1.5", "Decimal('1.50')")


def test_the_context_of_the_caller_changes_nothing() -> None:
    with localcontext() as context:
        context.prec = 2
        context.clear_traps()
        assert str(_number("1.2345678901234567890")) == "1.2345678901234567890"
        assert _number("1.2345678901234567890") == Decimal("1.2345678901234567890")
        assert _number("1e9999999999999999999999") == Decimal("Infinity")
