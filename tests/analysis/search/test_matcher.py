"""What may be skipped undecoded: never a value that matches, however its characters are escaped."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from statefmt.analysis.search import Matcher
from statefmt.golang import encode_string

_CHARACTERS = st.one_of(
    st.sampled_from('ab kK\u017fs\u212a"\\/<>&\n\t\x00\x7fé€\u2028\u2029\ufffd😀{}[]u003c'),
    st.characters(blacklist_categories=["Cs"]),
)
_TEXTS = st.text(_CHARACTERS, max_size=12)


def _escaped(char: str, how: int) -> str:
    """A character in a JSON string, written in one of the ways that JSON has."""
    short = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\n": "\\n", "\t": "\\t"}
    if how == 0 and char in short:
        return short[char]
    if how == 1 or char in '"\\' or char < " ":
        units = char.encode("utf-16-be").hex("-", 2).upper().split("-")
        return "".join(f"\\u{unit}" for unit in units)
    return char


@given(_TEXTS, _TEXTS, _TEXTS, st.lists(st.integers(0, 2), min_size=36, max_size=36), st.booleans(), st.integers(0, 2))
def test_no_match_is_skipped(
    before: str, text: str, after: str, ways: list[int], ignore_case: bool, levels: int
) -> None:
    value = before + (text.swapcase() if ignore_case and text.isascii() else text) + after
    raw = '"' + "".join(map(_escaped, value, ways)) + '"'
    assert json.loads(raw) == value
    matcher = Matcher(text, ignore_case=ignore_case)
    assert matcher.span(value) is not None
    for _ in range(levels):
        # As a JSON string in a string, as a policy is.
        raw = json.dumps(raw, ensure_ascii=False)
    assert matcher.may_match(raw.encode())
    assert matcher.may_match(encode_string(value))


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("\u212aelvin", '"kelvin"'),
        ("kelvin", '"\u212aelvin"'),
        ("kelvin", r'"\u212aelvin"'),
        ("strasse", '"\u017ftrasse"'),
    ],
)
def test_letters_that_equal_ascii(text: str, raw: str) -> None:
    matcher = Matcher(text, ignore_case=True)
    assert matcher.span(json.loads(raw)) is not None
    assert matcher.may_match(raw.encode())


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("absent", b'{"a":"present \\"quoted\\" \\u003cb\\u003e \\n"}'),
        ("a<absent>", b'"\\u003cb\\u003e"'),
        ("\u00e9", b'"e"'),
    ],
)
def test_skipped(text: str, raw: bytes) -> None:
    """The usual escapes of Go do not make an object worth decoding."""
    assert not Matcher(text).may_match(raw)
    assert Matcher(text, regex=True).may_match(raw)


def test_spans() -> None:
    assert Matcher("b.").span("xb.b.") == (1, 3)
    assert Matcher("B.", ignore_case=True).span("éb.") == (1, 3)
    assert Matcher("^b+$", regex=True).span("é\nbb\n") == (2, 4)
    assert Matcher("(?i)É", regex=True).span("é") == (0, 1)
    assert Matcher("x").span("y") is None
    with pytest.raises(ValueError, match="invalid escape sequence"):
        Matcher(r"\Z", regex=True)
