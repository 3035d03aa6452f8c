"""Parsing without loss, and what is refused."""

from __future__ import annotations

import pytest

from statefmt.golang import JSONValue, Members, NumberText, kind_name, loads_exact
from tests.tables import each_row

ACCEPTED: list[tuple[str, bytes, JSONValue]] = [
    ("number text", b"[1.0, -0, 1e400, 1E+2]", [NumberText(n) for n in ("1.0", "-0", "1e400", "1E+2")]),
    ("a long integer", b"9" * 5000, NumberText("9" * 5000)),
    ("repeated members", b'{"a":1,"b":2,"a":null}', Members([("a", "1"), ("b", "2"), ("a", None)])),
    ("lone surrogate escape", b'{"\\ud800":["\\udc00x"]}', Members([("\ufffd", ["\ufffdx"])])),
    ("high, then a pair", b'"\\ud800\\ud83d\\ude00"', "\ufffd\U0001f600"),
    ("white space", b" \t\r\n[ ] ", []),
]

REFUSED = [
    ("empty", b""),
    ("NaN", b"[NaN]"),
    ("Infinity", b"-Infinity"),
    ("truncated", b'{"a":'),
    ("two documents", b"1 2"),
    ("byte order mark", b"\xef\xbb\xbf1"),
    ("invalid UTF-8", b'"\xff"'),
    ("control character", b'"\x01"'),
    ("leading zero", b"01"),
    ("single quotes", b"'a'"),
    ("trailing comma", b"[1,]"),
    ("1,000,000 levels", b"[" * 1_000_000),
    ("1,000,000 objects", b'{"a":' * 1_000_000),
]


@pytest.mark.parametrize(("raw", "expected"), [case[1:] for case in ACCEPTED], ids=[c[0] for c in ACCEPTED])
def test_accepted(raw: bytes, expected: JSONValue) -> None:
    found = loads_exact(raw)
    assert found == expected
    assert type(found) is type(expected)


@each_row("raw", [case[1] for case in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        loads_exact(raw)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'"\xff\xfe"', "\ufffd\ufffd"),
        (b'"\xc3("', "\ufffd("),
        (b'"\xed\xa0\x80"', "\ufffd\ufffd\ufffd"),
        (b'"\xe2\x82"', "\ufffd\ufffd"),
        ('"é"'.encode(), "é"),
    ],
)
def test_invalid_bytes_replaced_one_by_one(raw: bytes, expected: str) -> None:
    assert loads_exact(raw, replace_invalid=True) == expected


def test_kinds() -> None:
    items = loads_exact(b'[null,true,1,"1",[],{}]')
    assert isinstance(items, list)
    assert [kind_name(item) for item in items] == ["null", "bool", "number", "string", "array", "object"]
