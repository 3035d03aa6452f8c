"""Where the parts of a JSON text stand, in any layout."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from statefmt.formats.raw_json import Container, container_at, members_at, value_at


def _parts(text: bytes, container: Container) -> list[tuple[str, bytes, bytes, bytes]]:
    return [
        (
            item.name,
            text[item.before.start : item.before.end],
            text[item.whole.start : item.whole.end],
            text[item.value.start : item.value.end],
        )
        for item in container.items
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param(b"12,", b"12", id="a number"),
        pytest.param(b" \n-1.5e3 ", b"-1.5e3", id="a number after white space"),
        pytest.param(b"true}", b"true", id="a word"),
        pytest.param(b'"a]\\"}",1', b'"a]\\"}"', id="a string with brackets and a quote"),
        pytest.param(b'"\\\\",1', b'"\\\\"', id="a string that ends with a backslash"),
        pytest.param(b'{"a":[{"]":"}"}]} x', b'{"a":[{"]":"}"}]}', id="an object with brackets in strings"),
        pytest.param(b"[] ]", b"[]", id="an empty array"),
        pytest.param(b'["\xff\\ud800"],', b'["\xff\\ud800"]', id="text that msgspec does not read"),
        pytest.param(b"[" * 50_000 + b"]" * 50_000 + b",", b"[" * 50_000 + b"]" * 50_000, id="50,000 deep"),
    ],
)
def test_value(text: bytes, value: bytes) -> None:
    span = value_at(text)
    assert text[span.start : span.end] == value


@pytest.mark.parametrize(
    ("text", "parts", "after"),
    [
        pytest.param(b"{}", [], b"", id="nothing in an object"),
        pytest.param(b"[ \n]", [], b" \n", id="nothing in an array but space"),
        pytest.param(b'{"a":1}', [("a", b"", b'"a":1', b"1")], b"", id="one member"),
        pytest.param(
            b'{"a":1,"b":[2]}', [("a", b"", b'"a":1', b"1"), ("b", b",", b'"b":[2]', b"[2]")], b"", id="two members"
        ),
        pytest.param(
            b'{\n  "a" : 1 ,\n  "b": 2\n}',
            [("a", b"\n  ", b'"a" : 1', b"1"), ("b", b" ,\n  ", b'"b": 2', b"2")],
            b"\n",
            id="indented, with space before a comma",
        ),
        pytest.param(b"[1, 2\t]", [("", b"", b"1", b"1"), ("", b", ", b"2", b"2")], b"\t", id="elements"),
        pytest.param(b'{"\\u0061":1}', [("a", b"", b'"\\u0061":1', b"1")], b"", id="a name with an escape"),
        pytest.param(b'{"\\ud800":1}', [("\ufffd", b"", b'"\\ud800":1', b"1")], b"", id="a name with half a pair"),
        pytest.param(b'{"\xff":1}', [("\ufffd", b"", b'"\xff":1', b"1")], b"", id="a name that is not UTF-8"),
        pytest.param(
            b'{"a":1,"a":2}', [("a", b"", b'"a":1', b"1"), ("a", b",", b'"a":2', b"2")], b"", id="a name twice"
        ),
    ],
)
def test_container(text: bytes, parts: list[tuple[str, bytes, bytes, bytes]], after: bytes) -> None:
    container = container_at(text)
    assert _parts(text, container) == parts
    assert text[container.after.start : container.after.end] == after
    assert text[container.span.start : container.span.end] == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param(b'{"a":1}', b"1", id="the name"),
        pytest.param(b'{"A":1}', b"1", id="another case"),
        pytest.param(b'{"a":1,"a":2}', b"2", id="the last of two"),
        pytest.param(b'{"a":1,"A":2}', b"2", id="the last, in another case"),
        pytest.param(b'{"A":2,"a":1}', b"1", id="the last, in its own case"),
        pytest.param(b'{"b":1}', None, id="none"),
    ],
)
def test_find(text: bytes, value: bytes | None) -> None:
    item = container_at(text).find("a")
    assert (item and text[item.value.start : item.value.end]) == value


def test_a_container_within_a_text() -> None:
    text = b'[0, {"a":1}]'
    assert _parts(text, container_at(text, 3)) == [("a", b"", b'"a":1', b"1")]


_GAP = st.sampled_from(["", " ", "\n  ", "\n    ", "\t"])


@given(st.lists(st.tuples(st.sampled_from(["1", "{}", '"a, b"', "[1, 2]", "null"]), _GAP, _GAP)), _GAP)
def test_elements_found_at_once_are_those_found_one_by_one(elements: list[tuple[str, str, str]], end: str) -> None:
    text = f"[{','.join(before + value + after for value, before, after in elements)}{end}]".encode()
    at_once, one_by_one = container_at(text, 0, len(text)), container_at(text)
    assert (at_once.span, tuple(at_once.items), at_once.after) == (one_by_one.span, one_by_one.items, one_by_one.after)
    assert at_once.items[1:] == list(one_by_one.items[1:])


_NAMES = st.sampled_from(["a", "A", "", "é", 'a"b', "\ud800", "x" * 300])
_VALUES = st.recursive(
    st.sampled_from([None, 1, -2.5e30, "s", "é\\", "z" * 250, "\ud800"]),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(_NAMES, inside, max_size=4),
)


@given(st.lists(st.tuples(_NAMES, _VALUES), max_size=6), st.booleans(), st.sampled_from(["", " ", "\n\t"]))
def test_members_are_those_of_the_container(members: list[tuple[str, object]], ascii_only: bool, space: str) -> None:
    """Also if they repeat."""

    def text_of(value: object) -> str:
        return json.dumps(value, ensure_ascii=ascii_only)

    pieces = (f"{space}{text_of(name)}{space}:{space}{text_of(value)}{space}" for name, value in members)
    text = f"{space}{{{space}{','.join(pieces)}}}".encode("utf-8", "surrogatepass")
    assert members_at(text) == [(item.name, *item.value) for item in container_at(text).items]
