"""Values by type: conversions, sets, dynamic types, and every refusal."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, strategies as st

from statefmt.model.cty import NUMBER, CtyEncodeError, CtyError, CtyValueError, Type, parse_type
from statefmt.model.cty.data import UnknownData, make_set
from statefmt.model.cty.number import parse_number
from statefmt.model.cty.values import canonical_output, read_value, write_value
from tests.tables import each_row


def canonical_value(raw: bytes, of: Type) -> bytes:
    """The JSON that cty writes after reading `raw`, both by the type `of`."""
    return write_value(read_value(raw, of), of)


OUTPUTS = [
    ("string", b'"a\\u0041<"', b'"string"', b'"aA\\u003c"', b'"string"'),
    ("string NFC", '"e\u0301"'.encode(), b'"string"', '"é"'.encode(), b'"string"'),
    ("string from a number keeps its text", b"1.50", b'"string"', b'"1.50"', b'"string"'),
    ("string from a bool", b"true", b'"string"', b'"true"', b'"string"'),
    ("invalid UTF-8", b'"\xff"', b'"string"', b'"\xef\xbf\xbd"', b'"string"'),
    ("lone surrogate", b'"\\ud800x"', b'"string"', b'"\xef\xbf\xbdx"', b'"string"'),
    ("number", b"3.0", b'"number"', b"3", b'"number"'),
    ("number from a string", b'"+42e0"', b'"number"', b"42", b'"number"'),
    ("bool from strings", b'["1","0","true","false"]', b'["list","bool"]', b"[true,false,true,false]", b""),
    ("null", b"null", b'["map","string"]', b"null", b'["map","string"]'),
    ("list with null", b'["a", null]', b'["list","string"]', b'["a",null]', b'["list","string"]'),
    ("map sorted, last of a key", b'{"b":1,"a":2,"b":3}', b'["map","number"]', b'{"a":2,"b":3}', b""),
    ("map keys NFC", '{"e\u0301":1}'.encode(), b'["map","number"]', '{"é":1}'.encode(), b""),
    ("object", b'{"b":1,"a":2}', b'["object",{"b":"number","a":"string"}]', b'{"a":"2","b":1}', b""),
    ("missing attribute", b"{}", b'["object",{"a":"bool"}]', b'{"a":null}', b""),
    ("optional is forgotten", b"{}", b'["object",{"a":"bool"},["a"]]', b'{"a":null}', b'["object",{"a":"bool"}]'),
    ("optional of a null stays", b"null", b'["object",{"a":"bool"},["a"]]', b"null", b""),
    ("optional of nothing stays", b"[]", b'["list",["object",{"a":"bool"},["a"]]]', b"[]", b""),
    ("tuple", b'[1,"a",null]', b'["tuple",["string","string","dynamic"]]', b'["1","a",null]', b""),
    ("null tuple type", b"[]", b'["tuple",null]', b"[]", b'["tuple",[]]'),
    ("dynamic", b'{"value":"x","type":"string"}', b'"dynamic"', b'"x"', b'"string"'),
    ("dynamic, last members", b'{"value":1,"type":"bool","value":"0"}', b'"dynamic"', b"false", b'"bool"'),
    ("dynamic null", b"null", b'"dynamic"', b"null", b'"dynamic"'),
    ("dynamic in dynamic", b'{"type":"dynamic","value":{"value":1,"type":"number"}}', b'"dynamic"', b"1", b'"number"'),
    (
        "list of dynamic",
        b'[null,{"value":"x","type":"string"}]',
        b'["list","dynamic"]',
        b'[null,"x"]',
        b'["list","string"]',
    ),
    (
        "dynamic attribute",
        b'{"a":{"value":[1],"type":["tuple",["number"]]}}',
        b'["object",{"a":"dynamic"}]',
        b'{"a":[1]}',
        b'["object",{"a":["tuple",["number"]]}]',
    ),
    ("empty list of dynamic", b"[]", b'["list","dynamic"]', b"[]", b'["list","dynamic"]'),
]

# elements, element type, order of the elements written
SETS = [
    ("strings by bytes", '["b","é","a","B","b",null]', '"string"', '["B","a","b","é",null]'),
    ("strings alike after NFC", '["é","e\u0301"]', '"string"', '["é"]'),
    ("numbers by value", '[10,9,2,1e1,"2.0",-1,0.5,null,null]', '"number"', "[-1,0.5,2,9,10,null]"),
    ("numbers alike in ten digits", "[12345678902,12345678901]", '"number"', "[12345678901,12345678902]"),
    ("bools", '[true,false,null,"1"]', '"bool"', "[false,true,null]"),
    ("zero and negative zero are two", "[-0,0,-0.0,-1]", '"number"', "[-1,-0,0]"),
    (
        "tuples by hash",
        '[["b",1],["a",2],["a",10],null]',
        '["tuple",["string","number"]]',
        '[["a",10],["a",2],["b",1],null]',
    ),
    ("numbers by text in compounds", "[[9],[10],[1e10],[100]]", '["list","number"]', "[[100],[10],[10000000000],[9]]"),
    (
        "beyond ten digits as given",
        "[[12345678902],[12345678901]]",
        '["list","number"]',
        "[[12345678902],[12345678901]]",
    ),
    ("the longer list first", '[["z"],["a","b"],[],["a"]]', '["list","string"]', '[["a","b"],["a"],["z"],[]]'),
    ("maps", '[{"b":"1"},{"a":"2"},{}]', '["map","string"]', '[{"a":"2"},{"b":"1"},{}]'),
    ("sets of sets", '[["b","a"],["a","b"],["c"]]', '["set","string"]', '[["a","b"],["c"]]'),
    ("null attributes last", '[{"a":null},{"a":"x"}]', '["object",{"a":"string"}]', '[{"a":"x"},{"a":null}]'),
    ("not printable is escaped", '[["\u00a0"],["z"],["é"]]', '["list","string"]', '[["\u00a0"],["z"],["é"]]'),
    ("negative zero in compounds", "[[0],[-0],[-5]]", '["list","number"]', "[[-5],[0],[-0]]"),
    ("only nulls of no type", "[null,null]", '"dynamic"', "[null]"),
]

REFUSED: list[tuple[str, bytes | None, bytes, str]] = [
    ("missing", None, b'"string"', "EOF"),
    ("array for a string", b"[]", b'"string"', "string is required"),
    ("object for a number", b"{}", b'"number"', "number is required"),
    ("bool for a number", b"true", b'"number"', "number is required"),
    ("text for a number", b'"x"', b'"number"', "a number is required"),
    ("number for a bool", b"1", b'"bool"', "bool is required"),
    ("text for a bool", b'"yes"', b'"bool"', "a bool is required"),
    ("upper case bool", b'"False"', b'"bool"', 'a bool is required; to convert from string, use lowercase "false"'),
    ("object for a list", b"{}", b'["list","string"]', "missing expected ["),
    ("string for a set", b'"a"', b'["set","string"]', "missing expected ["),
    ("array for a map", b"[]", b'["map","string"]', "missing expected {"),
    ("string for an object", b'"a"', b'["object",{}]', "missing expected {"),
    ("number for a tuple", b"1", b'["tuple",[]]', "missing expected ["),
    ("unknown attribute", b'{"a\\n":1}', b'["object",{}]', 'unsupported attribute "a\\n"'),
    (
        "attribute not NFC",
        '{"e\u0301":1}'.encode(),
        '["object",{"é":"number"}]'.encode(),
        'unsupported attribute "e\u0301"',
    ),
    ("hidden bad member", b'{"a":[],"a":"x"}', b'["map","string"]', "string is required"),
    ("long tuple", b"[1,2]", b'["tuple",["number"]]', "too many tuple elements (need 1)"),
    ("short tuple (OpenTofu crashes)", b"[1]", b'["tuple",["number","bool"]]', "not enough tuple elements (need 2)"),
    ("bare dynamic", b'"x"', b'"dynamic"', "missing expected {"),
    ("dynamic without type", b'{"value":1}', b'"dynamic"', "missing type in dynamically-typed value"),
    ("dynamic without value", b'{"type":"bool"}', b'"dynamic"', "missing value in dynamically-typed value"),
    ("dynamic with more", b'{"z":1}', b'"dynamic"', 'invalid key "z" in dynamically-typed value'),
    (
        "dynamic with a bad type",
        b'{"type":"int"}',
        b'"dynamic"',
        'failed to decode type for dynamic value: invalid primitive type name "int"',
    ),
    (
        "several types (OpenTofu crashes)",
        b'[{"value":1,"type":"number"},{"value":"a","type":"string"}]',
        b'["list","dynamic"]',
        'inconsistent list element types ("number" then "string")',
    ),
    ("too deep", b"[" * 100_000 + b"]" * 100_000, b'["list","string"]', "JSON is nested too deeply"),
]


@each_row(
    ("value", "of", "expected_value", "expected_type"), [case[1:] for case in OUTPUTS], ids=[c[0] for c in OUTPUTS]
)
def test_output(value: bytes, of: bytes, expected_value: bytes, expected_type: bytes) -> None:
    written = canonical_output(value, of)
    assert written == (expected_value, expected_type or canonical_output(b"null", of)[1])
    assert canonical_output(*written) == written


@each_row(("items", "of", "expected"), [case[1:] for case in SETS], ids=[c[0] for c in SETS])
def test_set(items: str, of: str, expected: str) -> None:
    written, _ = canonical_output(items.encode(), f'["set",{of}]'.encode())
    assert written == expected.encode()


@each_row(("value", "of", "detail"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(value: bytes | None, of: bytes, detail: str) -> None:
    with pytest.raises(CtyValueError) as caught:
        canonical_output(value, of)
    assert caught.value.detail == detail


@pytest.mark.parametrize(
    ("value", "of", "detail"),
    [
        (b'"inf"', b'"number"', "cannot serialize infinity as JSON"),
        (b'["1e999999999"]', b'["list","number"]', "cannot serialize infinity as JSON"),
        (b"1e200000", b'"number"', "a number of more than 100000 digits is not supported"),
    ],
)
def test_read_but_not_written(value: bytes, of: bytes, detail: str) -> None:
    with pytest.raises(CtyEncodeError) as caught:
        canonical_output(value, of)
    assert caught.value.detail == detail


def test_declared_dynamic_is_written_with_its_type() -> None:
    of = parse_type(b'["list","dynamic"]')
    raw = b'[{"type":"number","value":1.0},null]'
    assert canonical_value(raw, of) == b'[{"value":1,"type":"number"},{"value":null,"type":"number"}]'


TYPES = st.recursive(
    st.sampled_from(["string", "number", "bool", "dynamic"]),
    lambda inner: (
        st.tuples(st.sampled_from(["list", "set", "map"]), inner).map(list)
        | st.lists(inner, max_size=3).map(lambda types: ["tuple", types])
        | st.dictionaries(st.text(alphabet="abé<", max_size=2), inner, max_size=3).map(lambda types: ["object", types])
    ),
    max_leaves=6,
)
TEXTS = st.text(max_size=5) | st.sampled_from(["e\u0301", "<&>", "true", "1", "-0;", "\u00a0"])
NUMBERS = st.sampled_from([0, -0.0, 1, 1.5, 10, 9, 1e21, 1e-7, -3, 12345678901, 12345678902]) | st.integers()


def values(of: object) -> st.SearchStrategy[object]:
    if of == "string":
        return st.none() | TEXTS
    if of == "number":
        return st.none() | NUMBERS
    if of == "bool":
        return st.none() | st.booleans()
    if of == "dynamic":
        return st.none() | TEXTS.map(lambda text: {"type": "string", "value": text})
    assert isinstance(of, list)
    kind, inner = of
    if kind == "tuple":
        return st.tuples(*map(values, inner)).map(list)
    if kind == "object":
        return st.fixed_dictionaries({name: values(inner[name]) for name in inner})
    if kind == "map":
        return st.dictionaries(st.text(alphabet="abé<", max_size=2), values(inner), max_size=4)
    return st.lists(values(inner), max_size=5)


TYPED = TYPES.flatmap(lambda of: st.tuples(st.just(of), values(of)))


def dump(value: object) -> bytes:
    return json.dumps(value).encode()


@given(TYPED)
def test_idempotent(case: tuple[object, object]) -> None:
    of = parse_type(dump(case[0]))
    try:
        written = canonical_value(dump(case[1]), of)
    except CtyError as error:
        assume("inconsistent" not in str(error))
        raise
    assert canonical_value(written, of) == written
    output = canonical_output(dump(case[1]), dump(case[0]))
    assert canonical_output(*output) == output


@given(st.lists(TEXTS), st.randoms(use_true_random=False))
def test_order_of_set_elements_does_not_matter(items: list[str], random: object) -> None:
    shuffled = list(items)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    of = b'["set",["tuple",["string"]]]'
    assert canonical_output(dump([[x] for x in items]), of) == canonical_output(dump([[x] for x in shuffled]), of)
    assert canonical_output(dump(items), b'["set","string"]') == canonical_output(dump(shuffled), b'["set","string"]')


@given(st.integers())
def test_integers(value: int) -> None:
    written, _ = canonical_output(dump(value), b'"number"')
    assert abs(int(written) - value) * 2**511 <= abs(value)
    assert canonical_output(dump(value), b'"string"')[0] == dump(str(value))


@given(TEXTS)
def test_strings(text: str) -> None:
    written, _ = canonical_output(dump(text), b'"string"')
    assert canonical_output(written, b'"string"')[0] == written
    if text.isascii():
        assert json.loads(written) == text


@given(TYPED, st.data())
def test_mutilated_values_give_clean_errors(case: tuple[object, object], data: st.DataObject) -> None:
    other = data.draw(TYPED)
    try:
        canonical_output(dump(case[1]), dump(other[0]))
    except CtyError as error:
        assert error.detail


def test_unknown_elements_of_a_set_come_after_the_known_ones_and_before_null() -> None:
    number = parse_number("-1")
    assert make_set(NUMBER, [None, UnknownData(), number]) == (number, UnknownData(), None)
