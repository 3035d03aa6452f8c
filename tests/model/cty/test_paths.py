"""Sensitive paths: what is written, what is refused, and the parsed form."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from statefmt.model.cty import STRING, CtyValueError
from statefmt.model.cty.data import CtyValue, GetAttr, Path, PathIndex
from statefmt.model.cty.paths import PathProblem, _decode_paths, canonical_paths, decode_paths, encode_paths
from tests.model.cty.sensitive_paths import parse_paths
from tests.tables import each_row

WRITTEN = [
    ("none", b"[]", b"[]"),
    ("null", b"null", b"[]"),
    ("white space", b" [ ] ", b"[]"),
    ("an empty path", b"[ [] ]", b"[[]]"),
    ("a null path", b"[null]", b"[[]]"),
    ("attribute", b'[[{"value":"a","type":"get_attr"}]]', b'[[{"type":"get_attr","value":"a"}]]'),
    ("attribute html", b'[[{"type":"get_attr","value":"<"}]]', b'[[{"type":"get_attr","value":"\\u003c"}]]'),
    ("attribute null", b'[[{"type":"get_attr","value":null}]]', b'[[{"type":"get_attr","value":""}]]'),
    ("other case", b'[[{"TYPE":"get_attr","Value":"a"}]]', b'[[{"type":"get_attr","value":"a"}]]'),
    ("last member", b'[[{"type":"x","type":"get_attr","value":"a"}]]', b'[[{"type":"get_attr","value":"a"}]]'),
    ("null keeps the type", b'[[{"type":"get_attr","type":null,"value":"a"}]]', b'[[{"type":"get_attr","value":"a"}]]'),
    ("unknown member", b'[[{"type":"get_attr","value":"a","z":1}]]', b'[[{"type":"get_attr","value":"a"}]]'),
    (
        "order and repetition stay",
        b'[[{"type":"get_attr","value":"b"}],[{"type":"get_attr","value":"a"}],[{"type":"get_attr","value":"b"}]]',
        b'[[{"type":"get_attr","value":"b"}],[{"type":"get_attr","value":"a"}],[{"type":"get_attr","value":"b"}]]',
    ),
]

KEYS = [
    ("number", b'{"value":0,"type":"number"}', b'{"value":0,"type":"number"}', 0),
    ("whole number", b'{"type":"number","value":1e2}', b'{"value":100,"type":"number"}', 100),
    ("negative", b'{"type":"number","value":-3}', b'{"value":-3,"type":"number"}', -3),
    ("large", b'{"type":"number","value":1e40}', b'{"value":1' + b"0" * 40 + b',"type":"number"}', 10**40),
    ("string", b'{"value":"<k>","type":"string"}', b'{"value":"\\u003ck\\u003e","type":"string"}', "<k>"),
    ("string from a number", b'{"value":7,"type":"string"}', b'{"value":"7","type":"string"}', "7"),
    ("fraction", b'{"value":1.50,"type":"number"}', b'{"value":1.5,"type":"number"}', None),
    ("negative zero", b'{"value":-0,"type":"number"}', b'{"value":-0,"type":"number"}', None),
    ("bool", b'{"value":"1","type":"bool"}', b'{"value":true,"type":"bool"}', None),
    ("null string", b'{"value":null,"type":"string"}', b'{"value":null,"type":"string"}', None),
    ("null", b"null", b"null", None),
    (
        "object",
        b'{"value":{"b":1,"a":"x"},"type":["object",{"b":"number","a":"string"}]}',
        b'{"value":{"a":"x","b":1},"type":["object",{"a":"string","b":"number"}]}',
        None,
    ),
]

STEPS, STEP, UNSUPPORTED = ("Error unmarshaling path steps", "Error unmarshaling path step", "Unsupported path step")
GO = "json: cannot unmarshal"
NAME = "Failed to unmarshal get attr step name:"
KEY = "Failed to unmarshal index step key:"

REFUSED = [
    ("string", b'"a"', [(STEPS, f"{GO} string into Go value of type [][]statefile.pathStep")]),
    ("flat names", b'["a","b"]', [(STEPS, f"{GO} string into Go value of type []statefile.pathStep")]),
    ("steps unwrapped", b'[{"type":"x"}]', [(STEPS, f"{GO} object into Go value of type []statefile.pathStep")]),
    (
        "names in paths",
        b'[["a"]]',
        [
            (STEPS, f"{GO} string into Go value of type statefile.pathStep"),
            (UNSUPPORTED, 'Unsupported path step type ""'),
        ],
    ),
    (
        "type is a number",
        b'[[{"type":5,"value":"a"}]]',
        [
            (STEPS, f"{GO} number into Go struct field pathStep.type of type string"),
            (UNSUPPORTED, 'Unsupported path step type ""'),
        ],
    ),
    ("unknown type", b'[[{"type":"a\\"b","value":1}]]', [(UNSUPPORTED, 'Unsupported path step type "a\\"b"')]),
    ("null step", b"[[null]]", [(UNSUPPORTED, 'Unsupported path step type ""')]),
    (
        "name is a number",
        b'[[{"type":"get_attr","value":5}]]',
        [(STEP, f"{NAME} {GO} number into Go value of type string")],
    ),
    ("name is missing", b'[[{"type":"get_attr"}]]', [(STEP, f"{NAME} unexpected end of JSON input")]),
    ("key is missing", b'[[{"type":"index"}]]', [(STEP, f"{KEY} EOF")]),
    ("key is bare", b'[[{"type":"index","value":0}]]', [(STEP, f"{KEY} missing expected {{")]),
    (
        "key has a bad type",
        b'[[{"type":"index","value":{"value":0,"type":"int"}}]]',
        [(STEP, f'{KEY} failed to decode type for dynamic value: invalid primitive type name "int"')],
    ),
    (
        "each bad path once",
        b'[[{"type":"x"},{"type":"y"}],[{"type":"index","value":1}]]',
        [(UNSUPPORTED, 'Unsupported path step type "x"'), (STEP, f"{KEY} missing expected {{")],
    ),
    (
        "infinite key",
        b'[[{"type":"index","value":{"value":"inf","type":"number"}}]]',
        [
            (
                "Error marshaling path step",
                "Failed to marshal index step key: failed to serialize value: cannot serialize infinity as JSON",
            )
        ],
    ),
]


@each_row(("raw", "expected"), [case[1:] for case in WRITTEN], ids=[c[0] for c in WRITTEN])
def test_written(raw: bytes, expected: bytes) -> None:
    assert canonical_paths(raw) == (expected, ())
    assert canonical_paths(expected) == (expected, ())
    assert encode_paths(parse_paths(raw)) == expected


@each_row(("raw", "expected", "key"), [case[1:] for case in KEYS], ids=[c[0] for c in KEYS])
def test_key(raw: bytes, expected: bytes, key: str | int | None) -> None:
    path = b'[[{"type":"index","value":%b}]]'
    assert canonical_paths(path % raw) == (path % expected, ())
    ((step,),) = parse_paths(path % raw)
    assert isinstance(step, PathIndex)
    assert step.key == key if key is not None else isinstance(step.key, CtyValue)
    assert encode_paths(((step,),)) == path % expected


@each_row(("raw", "problems"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(raw: bytes, problems: list[tuple[str, str]]) -> None:
    assert canonical_paths(raw)[1] == tuple(PathProblem(*problem) for problem in problems)


def test_sound_paths_are_written_beside_bad_ones() -> None:
    written, problems = canonical_paths(b'[[{"type":"get_attr","value":"a"}],[{"type":"x"}]]')
    assert written == b'[[{"type":"get_attr","value":"a"}]]'
    assert len(problems) == 1


def test_parsed_form() -> None:
    raw = (
        b'[[{"type":"get_attr","value":"set"},{"type":"index","value":{"value":0,"type":"number"}}],'
        b'[{"type":"index","value":{"value":"k","type":"string"}}]]'
    )
    assert parse_paths(raw) == ((GetAttr("set"), PathIndex(0)), (PathIndex("k"),))
    with pytest.raises(CtyValueError, match="missing expected"):
        parse_paths(b'[[{"type":"index","value":1}]]')
    with pytest.raises(CtyValueError, match="deeply"):
        parse_paths(b"[" * 100_000)


def test_long_lists_are_the_same() -> None:
    path = b'[{"type":"get_attr","value":"some_long_attribute_name"}]'
    assert canonical_paths(b"[" + b", ".join([path] * 100) + b"]") == (b"[" + b",".join([path] * 100) + b"]", ())


PATHS = st.lists(
    st.lists(
        st.text(max_size=5).map(GetAttr)
        | st.integers(-(10**20), 10**20).map(PathIndex)
        | st.text(alphabet="ab<é", max_size=3).map(PathIndex)
        | st.just(PathIndex(CtyValue(STRING, None))),
        max_size=4,
    ).map(tuple),
    max_size=4,
).map(tuple)


@given(PATHS)
def test_round_trip(paths: tuple[Path, ...]) -> None:
    raw = encode_paths(paths)
    assert parse_paths(raw) == paths
    assert canonical_paths(raw) == (raw, ())
    assert canonical_paths(json.dumps(json.loads(raw), indent=2).encode()) == (raw, ())


_ALL = [*(raw for _, raw, *_ in WRITTEN), *(raw for _, raw, *_ in KEYS), *(raw for _, raw, _ in REFUSED)]
_PARTS = [raw.strip()[1:-1] for raw in _ALL if raw.strip()[:1] == b"["]


@given(st.lists(st.sampled_from([part for part in _PARTS if part.strip()]), max_size=4))
def test_each_path_alone_reads_as_in_its_list(parts: list[bytes]) -> None:
    raw = b"[%b]" % b",".join(parts)
    paths, problems = _decode_paths(raw)
    assert decode_paths(raw) == (paths, problems)
    written, refused = canonical_paths(raw)
    assert refused[: len(problems)] == problems
    if not refused:
        assert written == encode_paths(paths)
