"""Type descriptions: what is accepted, how it is written, and the detail of every refusal."""

from __future__ import annotations

import pytest

from statefmt.model.cty import DYNAMIC, STRING, CtyTypeError, ListType, ObjectType, TupleType, encode_type, parse_type
from tests.tables import each_row

WRITTEN = [
    ("primitive", b'"string"', b'"string"'),
    ("escaped name", b'"b\\u006fol"', b'"bool"'),
    ("dynamic", b'"dynamic"', b'"dynamic"'),
    ("collections", b'["list", ["set", ["map", "number"]]]', b'["list",["set",["map","number"]]]'),
    ("attributes sorted", b'["object",{"b":"bool","B":"number"}]', b'["object",{"B":"number","b":"bool"}]'),
    ("last of a repeated attribute", b'["object",{"a":"bool","a":"string"}]', b'["object",{"a":"string"}]'),
    ("attribute names NFC", '["object",{"e\u0301":"bool"}]'.encode(), '["object",{"é":"bool"}]'.encode()),
    ("attribute names escaped", b'["object",{"<":"bool"}]', b'["object",{"\\u003c":"bool"}]'),
    ("empty object", b'["object",{}]', b'["object",{}]'),
    ("null attributes", b'["object",null]', b'["object",{}]'),
    (
        "optional sorted",
        b'["object",{"b":"bool","a":"bool"},["b","a","b"]]',
        b'["object",{"a":"bool","b":"bool"},["a","b"]]',
    ),
    ("no optional", b'["object",{"a":"bool"},[]]', b'["object",{"a":"bool"}]'),
    ("null optional", b'["object",{"a":"bool"},null]', b'["object",{"a":"bool"}]'),
    ("null name of an optional", b'["object",{"":"bool"},[null]]', b'["object",{"":"bool"},[""]]'),
    ("tuple", b'["tuple",["string",["tuple",[]]]]', b'["tuple",["string",["tuple",[]]]]'),
    ("null elements", b'["tuple",null]', b'["tuple",null]'),
]

REFUSED: list[tuple[str, bytes | None, str]] = [
    ("missing", None, "EOF"),
    ("empty", b"", "EOF"),
    ("null", b"null", "invalid type description"),
    ("number", b"5", "invalid type description"),
    ("bool", b"true", "invalid type description"),
    ("object", b"{}", "invalid complex type description"),
    ("unknown name", b'"int"', 'invalid primitive type name "int"'),
    ("upper case", b'"String"', 'invalid primitive type name "String"'),
    ("quoted in the detail", b'"a\\"\\n"', 'invalid primitive type name "a\\"\\n"'),
    ("empty array", b"[]", "invalid complex type kind name"),
    ("kind is no string", b'[5,"string"]', "invalid complex type kind name"),
    ("unknown kind", b'["capsule","x"]', "invalid complex type kind name"),
    ("kind alone", b'["list"]', "expected comma after array element"),
    ("object alone", b'["object"]', "expected comma after array element"),
    ("too many parts", b'["list","string","string"]', "unexpected extra data in type description"),
    ("too many for an object", b'["object",{},[],1]', "unexpected extra data in type description"),
    ("null element", b'["list",null]', "invalid type description"),
    ("bad element", b'["set",["map","x"]]', 'invalid primitive type name "x"'),
    (
        "attributes are an array",
        b'["object",[]]',
        "json: cannot unmarshal array into Go value of type map[string]cty.Type",
    ),
    ("null attribute", b'["object",{"a":null}]', "invalid type description"),
    ("hidden bad attribute", b'["object",{"a":"x","a":"bool"}]', 'invalid primitive type name "x"'),
    ("elements are a string", b'["tuple","string"]', "json: cannot unmarshal string into Go value of type []cty.Type"),
    ("optional is a string", b'["object",{},"a"]', "json: cannot unmarshal string into Go value of type []string"),
    ("optional holds a number", b'["object",{},[1]]', "json: cannot unmarshal number into Go value of type string"),
    (
        "undeclared optional (OpenTofu crashes)",
        b'["object",{"a":"bool"},["b"]]',
        'optional contains undeclared attribute "b"',
    ),
    ("too deep", b'["list",' * 50000 + b'"bool"' + b"]" * 50000, "JSON is nested too deeply"),
]


@each_row(("raw", "expected"), [case[1:] for case in WRITTEN], ids=[c[0] for c in WRITTEN])
def test_written(raw: bytes, expected: bytes) -> None:
    assert encode_type(parse_type(raw)) == expected
    assert encode_type(parse_type(expected)) == expected


@each_row(("raw", "detail"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(raw: bytes | None, detail: str) -> None:
    with pytest.raises(CtyTypeError) as caught:
        parse_type(raw)
    assert caught.value.detail == detail


def test_equality() -> None:
    assert parse_type(b'["tuple",null]') == parse_type(b'["tuple",[]]') == TupleType(())
    assert parse_type(b'["object",{"a":"string"}]') == ObjectType({"a": STRING})
    assert parse_type(b'["object",{"a":"string"}]') != parse_type(b'["object",{"a":"string"},["a"]]')
    assert ListType(STRING) != ListType(DYNAMIC)


def test_deep_type_is_no_traceback() -> None:
    nested: ListType = ListType(STRING)
    for _ in range(5000):
        nested = ListType(nested)
    with pytest.raises(CtyTypeError):
        encode_type(nested)
