"""Changing white space and HTML escapes of raw JSON, and nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from statefmt.golang import compact, escape_html, indent

EXOTIC = b'{ "n" : [1.0, 1e3, -0 , 123456789012345678901234567890],\n"s":"\\u00e9\\/ \\" [ ] {,}" , "n":{ } }'
COMPACT = b'{"n":[1.0,1e3,-0,123456789012345678901234567890],"s":"\\u00e9\\/ \\" [ ] {,}","n":{}}'
INDENTED = b"""{
  "n": [
    1.0,
    1e3,
    -0,
    123456789012345678901234567890
  ],
  "s": "\\u00e9\\/ \\" [ ] {,}",
  "n": {}
}"""
LONE = b'[ "\\ud800" , [ ] , {"\\udbfa[": [1 , {}]}]'

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='a"\\[]{},: \n'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=15,
)


def test_exotic_numbers_and_escapes_stay() -> None:
    assert compact(EXOTIC) == COMPACT
    assert indent(EXOTIC) == INDENTED


def test_lone_surrogates_stay() -> None:
    assert compact(LONE) == b'["\\ud800",[],{"\\udbfa[":[1,{}]}]'
    assert compact(indent(LONE)) == compact(LONE)


@pytest.mark.parametrize("levels", [100, 3000, 9999])
def test_deep_nesting(levels: int) -> None:
    raw = b"[ " * levels + b' "a [ ]" ' + b" ]" * levels
    assert compact(raw) == b"[" * levels + b'"a [ ]"' + b"]" * levels
    if levels < 5000:
        assert compact(indent(raw)) == compact(raw)
        assert indent(raw).count(b"\n") == 2 * levels


def test_many_empty_values_are_not_deep() -> None:
    raw = b'["\\ud800"' + b",[],{}" * 20_000 + b"]"
    assert compact(raw) == raw


@pytest.mark.parametrize("change", [compact, indent])
def test_too_deep(change: object) -> None:
    assert callable(change)
    with pytest.raises(ValueError, match="exceeded max depth"):
        change(b"[" * 10_001 + b"]" * 10_001)


@pytest.mark.parametrize("raw", [b"", b"[1", b"{]", b'"a', b'["\\ud800", 1'])
def test_not_json(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        compact(raw)
    with pytest.raises(ValueError, match=r".+"):
        indent(raw)


@given(JSON)
def test_same_layout_as_python(value: object) -> None:
    raw = json.dumps(value).encode()
    assert compact(raw) == json.dumps(value, separators=(",", ":")).encode()
    assert indent(raw) == json.dumps(value, indent=2).encode()


@given(JSON)
def test_slow_way_is_the_same(value: object) -> None:
    raw = json.dumps(["\ud800", value]).encode()
    plain = json.dumps(["\\ud800", value]).encode()
    assert compact(raw) == compact(plain).replace(b"\\\\ud800", b"\\ud800", 1)
    assert indent(raw) == indent(plain).replace(b"\\\\ud800", b"\\ud800", 1)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'"<&>"', b'"\\u003c\\u0026\\u003e"'),
        ('"\u2028\u2029\u2027é"'.encode(), '"\\u2028\\u2029\u2027é"'.encode()),
        (b'"\\u003c \\u003C"', b'"\\u003c \\u003C"'),
    ],
)
def test_escape_html(raw: bytes, expected: bytes) -> None:
    assert escape_html(raw) == expected
    assert escape_html(expected) is expected
