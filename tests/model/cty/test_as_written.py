"""What is certainly written as it is, is what reading and writing gives."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import example, given

from statefmt.model.cty import CtyError, encode_type, parse_type
from statefmt.model.cty.values import as_written, read_value, write_value
from tests.model.cty.test_values import TYPED, dump
from tests.tables import each_row

_SUBNETS = b'["list",["object",{"id":"string","open":"bool","tags":["map","string"]}]]'


def slowly(raw: bytes, of: bytes) -> tuple[bytes, bytes]:
    value = read_value(raw, parse_type(of))
    return write_value(value), encode_type(value.type)


@pytest.mark.parametrize(
    ("raw", "of"),
    [
        (b"null", b'["list","string"]'),
        (b"true", b'"bool"'),
        (b"-12.5", b'"number"'),
        (b"9223372036854775808", b'"number"'),
        (b'[ 1,null, 0.25 ]', b'["list","number"]'),
        (b'["a","b"]', b'["set","string"]'),
        (b'[["a"],[],null]', b'["list",["set","string"]]'),
        (b'["a",1,[true]]', b'["tuple",["string","number",["list","bool"]]]'),
        ('[{"id":"\\u003c\\n\\"","open":true,"tags":{"a":"é","b":null}},null]'.encode(), _SUBNETS),
    ],
    ids=lambda text: text.decode(),
)  # fmt: skip
def test_sure(raw: bytes, of: bytes) -> None:
    assert as_written(raw, parse_type(of)) == slowly(raw, of)[0] == b"".join(raw.split())


@each_row(
    ("raw", "of"),
    [
        (b"1.0", b'"number"'),
        (b"-0", b'"number"'),
        (b"-0.0", b'"number"'),
        (b"1e-7", b'"number"'),
        (b"[1e16]", b'["list","number"]'),
        (b"1e400", b'"number"'),
        (b"1" * 160, b'"number"'),
        (b'"1"', b'"number"'),
        (b"1", b'"string"'),
        (b"1", b'"bool"'),
        (b'"<"', b'"string"'),
        (b'"\\u0061"', b'"string"'),
        (b'"\\ud800"', b'"string"'),
        ('"e\u0301"'.encode(), b'"string"'),
        # Together they are U+226E.
        ('"\\u003c\u0338"'.encode(), b'"string"'),
        (b'["b","a"]', b'["set","string"]'),
        (b'["a","a"]', b'["set","string"]'),
        (b"[2,10]", b'["set","number"]'),
        (b'{"b":1,"a":2}', b'["map","number"]'),
        (b'{"a":1,"a":2}', b'["map","number"]'),
        (b'{"id":""}', b'["object",{"id":"string","no":"string"}]'),
        (b'{"id":"","no":""}', b'["object",{"id":"string"}]'),
        (b"null", b'["object",{"a":"string"},["a"]]'),
        (b"[]", b'["tuple",["string"]]'),
        (b"{}", b'["list","string"]'),
        (b"[[]]", b'["list",["map","string"]]'),
        (b'{"type":"string","value":""}', b'"dynamic"'),
        (b"[]", b'["tuple",null]'),
    ],
    ids=lambda text: text.decode(),
)  # fmt: skip
def test_unsure(raw: bytes, of: bytes) -> None:
    assert as_written(raw, parse_type(of)) is None


def test_unsure_of_what_is_nested_deeply() -> None:
    depth = 250
    of = b'["list",' * depth + b'"string"' + b"]" * depth
    assert as_written(b"[" * depth + b"]" * depth, parse_type(of)) in (None, b"[" * depth + b"]" * depth)
    assert as_written(b"[" * 5000 + b"]" * 5000, parse_type(of)) is None


@given(TYPED)
@example((["map", "string"], {"\u0338": "<"}))
def test_as_the_slow_way(case: tuple[object, object]) -> None:
    of = dump(case[0])
    texts = [
        dump(case[1]),
        json.dumps(case[1], ensure_ascii=False, sort_keys=True, indent=1).encode("utf-8", "replace"),
    ]
    with suppress(CtyError):
        texts.append(slowly(texts[0], of)[0])
    for text in texts:
        quickly = as_written(text, parse_type(of))
        if quickly is not None:
            assert (quickly, encode_type(parse_type(of))) == slowly(text, of)
