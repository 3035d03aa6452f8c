"""Types of v3 output values."""

from __future__ import annotations

import pytest

from statefmt.golang import loads_exact
from statefmt.model.cty import CtyTypeError, encode_type, implied_type, upgrade_output
from tests.tables import each_row

UPGRADED = [
    ("string", b'"x"', b'"x"', b'"string"'),
    ("number through float64", b"12345678901234567890", b"12345678901234567000", b'"number"'),
    ("bool", b"true", b"true", b'"bool"'),
    ("null", b"null", b"null", b'"dynamic"'),
    ("empty list", b"[]", b"[]", b'["tuple",[]]'),
    ("empty map", b"{}", b"{}", b'["object",{}]'),
    ("list", b'["a", "b"]', b'["a","b"]', b'["list","string"]'),
    ("list of nulls", b"[null,null]", b"[null,null]", b'["list","dynamic"]'),
    ("mixed list", b'["a",1,null]', b'["a",1,null]', b'["tuple",["string","number","dynamic"]]'),
    ("lists alike", b'[["a"],["b"]]', b'[["a"],["b"]]', b'["list",["list","string"]]'),
    ("uneven lists", b'[["a"],[]]', b'[["a"],[]]', b'["tuple",[["tuple",["string"]],["tuple",[]]]]'),
    ("map", b'{"b":"1","a":"2"}', b'{"a":"2","b":"1"}', b'["map","string"]'),
    ("mixed map", b'{"b":1,"a":"2"}', b'{"a":"2","b":1}', b'["object",{"a":"string","b":"number"}]'),
    ("nested", b'{"a":[{"b":["c"]}]}', b'{"a":[{"b":["c"]}]}', b'["map",["list",["map",["list","string"]]]]'),
    ("last of a repeated member", b'{"a":1,"a":"x"}', b'{"a":"x"}', b'["map","string"]'),
]


@each_row(("raw", "value", "of"), [case[1:] for case in UPGRADED], ids=[c[0] for c in UPGRADED])
def test_upgrade(raw: bytes, value: bytes, of: bytes) -> None:
    assert upgrade_output(loads_exact(raw)) == (value, of)


def test_repeated_members_must_agree() -> None:
    assert encode_type(implied_type(loads_exact(b'{"a":1,"a":2}'))) == b'["object",{"a":"number"}]'
    with pytest.raises(CtyTypeError, match='duplicate "a" property in JSON object'):
        implied_type(loads_exact(b'{"a":1,"a":"x"}'))


def test_number_beyond_float64() -> None:
    with pytest.raises(ValueError, match="1e400"):
        upgrade_output(loads_exact(b"[1e400]"))
