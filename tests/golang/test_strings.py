"""Strings as Go's json.Marshal writes them and as its %q quotes them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from statefmt.golang import encode_string, quote
from tests.tables import each_row

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=40)

STRINGS = [
    ("empty", "", b'""'),
    ("plain", "us-east-1", b'"us-east-1"'),
    ("html", "<a href=x>&</a>", b'"\\u003ca href=x\\u003e\\u0026\\u003c/a\\u003e"'),
    ("quote and backslash", 'a"b\\c', b'"a\\"b\\\\c"'),
    ("slash stays", "a/b", b'"a/b"'),
    ("short escapes", "\b\f\n\r\t", b'"\\b\\f\\n\\r\\t"'),
    ("other control characters", "\x00\x01\x0b\x1f", b'"\\u0000\\u0001\\u000b\\u001f"'),
    ("DEL stays", "\x7f", b'"\x7f"'),
    ("line separators", "\u2028\u2029", b'"\\u2028\\u2029"'),
    ("accents and emoji stay", "é日\U0001f600", '"é日\U0001f600"'.encode()),
    ("replacement character stays", "\ufffd", b'"\xef\xbf\xbd"'),
    ("lone surrogates", "\ud800x\udfff", b'"\xef\xbf\xbdx\xef\xbf\xbd"'),
]

QUOTED = [
    ("plain", "a b", '"a b"'),
    ("quote and backslash", 'a"\\', '"a\\"\\\\"'),
    ("named", "\a\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'),
    ("control", "\x00\x1b\x7f", '"\\x00\\x1b\\x7f"'),
    ("printable", "é<&>日", '"é<&>日"'),
    ("other spaces are not printable", "\u00a0\u2028", '"\\u00a0\\u2028"'),
    ("format characters are not", "\u200d\ufeff", '"\\u200d\\ufeff"'),
    ("latin-1 control", "\x85", '"\\u0085"'),
    ("private use, astral", "\U0010fffd", '"\\U0010fffd"'),
]


@each_row(("text", "expected"), [case[1:] for case in STRINGS], ids=[c[0] for c in STRINGS])
def test_encode(text: str, expected: bytes) -> None:
    assert encode_string(text) == expected


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in QUOTED], ids=[c[0] for c in QUOTED])
def test_quote(text: str, expected: str) -> None:
    assert quote(text) == expected


@given(ANY_TEXT)
def test_decodes_to_what_was_encoded(text: str) -> None:
    encoded = encode_string(text)
    mended = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    assert json.loads(encoded) == mended
    assert not set(b"<>&").intersection(encoded)


@given(ANY_TEXT)
def test_decode_and_encode_is_stable(text: str) -> None:
    encoded = encode_string(text)
    assert encode_string(json.loads(encoded)) == encoded
