"""Types as configuration writes them; expected texts as HCL's `ext/typeexpr` (TypeString) makes them."""

from __future__ import annotations

import pytest

from statefmt.model.cty import CtyTypeError, ListType, Type, parse_type
from statefmt.render.values import type_text
from tests.tables import each_row

# A type as a state has it, its text, and its text without the names of attributes.
CASES = [
    ('"string"', "string", "string"),
    ('"number"', "number", "number"),
    ('"bool"', "bool", "bool"),
    ('"dynamic"', "any", "any"),
    ('["list","string"]', "list(string)", "list(string)"),
    ('["set",["map","bool"]]', "set(map(bool))", "set(map(bool))"),
    ('["tuple",["string",["list","number"]]]', "tuple([string,list(number)])", "tuple([string,list(number)])"),
    ('["tuple",[]]', "tuple([])", "tuple([])"),
    ('["object",{}]', "object({})", "object({...})"),
    ('["object",{"b":"bool","a":"string"}]', "object({a=string,b=bool})", "object({...})"),
    ('["object",{"a-1":"bool","1 a":"bool"}]', 'object({"1 a"=bool,a-1=bool})', "object({...})"),
    ('["object",{"a":"string"},["a"]]', "object({a=optional(string)})", "object({...})"),
    ('["list",["object",{"a":"string"}]]', "list(object({a=string}))", "list(object({...}))"),
]


@each_row(("given", "text", "bare"), CASES, ids=[case[0] for case in CASES])
def test_text(given: str, text: str, bare: str) -> None:
    of = parse_type(given.encode())
    assert type_text(of) == text
    assert type_text(of, names=False) == bare


def test_nested_too_deeply() -> None:
    of: Type = parse_type(b'"string"')
    for _ in range(5000):
        of = ListType(of)
    with pytest.raises(CtyTypeError):
        type_text(of)
