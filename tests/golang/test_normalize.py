"""NFC as golang.org/x/text does it; the long runs were compared with that package."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st

from statefmt.golang import nfc

CASES = [
    ("ascii", "abc", "abc"),
    ("composes", "e\u0301", "é"),
    ("reorders", "a\u0301\u0323", "ạ\u0301"),
    ("singleton", "\u212b", "\u00c5"),
    ("hangul", "\u1112\u1161\u11ab", "한"),
    ("compatibility forms stay", "ﬁ①", "ﬁ①"),
    ("30 marks", "a" + "\u0316" * 30, "a" + "\u0316" * 30),
    ("31 marks", "a" + "\u0316" * 31, "a" + "\u0316" * 30 + "\u034f\u0316"),
    ("61 marks", "\u0316" * 61, "\u0316" * 30 + "\u034f" + "\u0316" * 30 + "\u034f\u0316"),
    ("a composed letter counts its mark", "á" + "\u0316" * 30, "á" + "\u0316" * 29 + "\u034f\u0316"),
    ("a letter ends the run", ("a" + "\u0316" * 20) * 3, ("a" + "\u0316" * 20) * 3),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_nfc(text: str, expected: str) -> None:
    assert nfc(text) == expected
    assert nfc(expected) == expected


@given(st.text(max_size=30))
def test_short_texts_are_plain_nfc(text: str) -> None:
    assert nfc(text) == unicodedata.normalize("NFC", text)


@given(st.text(alphabet="aé\u0301\u0316\u0323한\u1161", max_size=120))
def test_stable(text: str) -> None:
    assert nfc(nfc(text)) == nfc(text)
    assert unicodedata.is_normalized("NFC", nfc(text))
