"""What is passed over quickly is what the slow scan passes over, and nothing else."""

from __future__ import annotations

import pytest

from statefmt.formats.salvage._scan import Skipper
from tests.tables import each_row

_WHOLE = (
    b'{"a":1}',
    b"[]",
    b'[ {"a" : [-0.5e+7, true, null]} , "\\ud800" ]',
    b'{"a":{"b":[1,2,{"c":"\xc3\xa9"}]}}',
    b'{"a":"\x7f\xff"}',
)
_BROKEN = (
    b"[1,]",
    b'{"a":1,}',
    b"[01]",
    b"[+1]",
    b"[1.]",
    b"[.5]",
    b"[NaN]",
    b"[-Infinity]",
    b'["\t"]',
    b'["\\x"]',
    b'["\\u12"]',
    b"['a']",
    b"{a:1}",
    b"[1 2]",
    b"[\x0b1]",
    b"[\xa01]",
    b"[1",
    b'{"a":tru}',
    b"[\xef\xbb\xbf1]",
)


@pytest.mark.parametrize("value", _WHOLE)
def test_whole_values(value: bytes) -> None:
    text = b"\xff\0 " + value + b", x"
    assert Skipper(text).end_of(3) == 3 + len(value)


@each_row("value", _BROKEN)
def test_nothing_else(value: bytes) -> None:
    assert Skipper(value + b"}]").end_of(0) is None


def test_repeated_names_are_seen_at_every_depth() -> None:
    skipper = Skipper(b'[{"a":[{"b":1,"b":2}]}][{"b":1}]')
    assert [(skipper.end_of(start), skipper.repeats) for start in (0, 23)] == [(23, True), (32, False)]
    # Names that may be one name in two spellings are read one by one.
    assert Skipper(b'{"\xc3\xa9":1,"\\u00e9":2}').end_of(0) is None
