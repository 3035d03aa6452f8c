"""Where a pointer points: line and column in the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import assume, given, strategies as st

from statefmt.formats import raw_json as spans
from statefmt.formats.raw_json import container_at, token, value_at
from statefmt.formats.raw_json.positions import Position, finding_positions, positions
from statefmt.model.findings import Code, Finding, Severity
from tests.tables import each_row

STATE = b"""{
  "version": 4,
  "outputs": {"a/b": {"value": 1}, "c~d": {"value": 2}, "e~1f": {}},
  "resources": [
    {"type": "first"},
    {
      "type": "second",
      "instances": [1, [2], {"schema_version": 0}]
    }
  ],
  "Serial": 3, "Lineage": "x", "lineage": "y", "LINEAGE": "z",
  "twice": {"a": 1},
\t"twice": {"b": 1}, "\xc3\xa9\xf0\x9f\x98\x80": 1, "x": 2, "\\u0079": 3, "": {"": 4}
}
"""

# What is asked, where it is, what the case shows.
CASES = [
    ("", (1, 1), "the whole document"),
    ("/version", (2, 3), "a member: its name"),
    ("/resources", (4, 3), "a member whose value is an array"),
    ("/resources/0", (5, 5), "an element: itself"),
    ("/resources/1", (6, 5), "an element over several lines"),
    ("/resources/1/type", (7, 7), "a member of an element"),
    ("/resources/1/instances/0", (8, 21), "a number in an array"),
    ("/resources/1/instances/1/0", (8, 25), "an array in an array"),
    ("/resources/1/instances/2/schema_version", (8, 30), "deep down"),
    ("/outputs/a~1b/value", (3, 23), "a slash in a name"),
    ("/outputs/c~0d", (3, 36), "a tilde in a name"),
    ("/outputs/e~01f", (3, 57), "a tilde and a digit in a name"),
    ("/serial", (11, 3), "a name in another letter case"),
    ("/lineage", (11, 32), "the exact name is better than a later one in another letter case"),
    ("/LINEAGE", (11, 48), "and so it is in capitals"),
    ("/Lineage", (11, 16), "and mixed"),
    ("/liNeage", (11, 48), "of two in another letter case the last one"),
    ("/twice", (13, 2), "of members that repeat the last one"),
    ("/twice/b", (13, 12), "inside the last one"),
    ("/twice/a", (13, 2), "what is in the first one only does not count"),
    ("/é😀", (13, 21), "characters beyond ASCII in the name"),
    ("/x", (13, 30), "columns are in characters, not in bytes or UTF-16"),
    ("/y", (13, 38), "a name written with an escape"),
    ("/", (13, 51), "an empty name"),
    ("//", (13, 56), "empty names"),
    ("/missing", (1, 1), "a missing member: the object that lacks it"),
    ("/resources/1/provider", (6, 5), "a missing member of an element"),
    ("/resources/1/instances/2/a/b/c", (8, 29), "several steps that lead nowhere"),
    ("/resources/7", (4, 3), "an index behind the last one"),
    ("/resources/-", (4, 3), "the element behind the last one"),
    ("/resources/00", (4, 3), "no index"),
    ("/resources/x/type", (4, 3), "a name in an array"),
    ("/version/0", (2, 3), "inside a number"),
    ("/outputs/0", (3, 3), "an index in an object"),
]


@each_row(("pointer", "place", "shows"), CASES, ids=[case[2] for case in CASES])
def test_places(pointer: str, place: tuple[int, int], shows: str) -> None:
    assert positions(STATE, [pointer]) == {pointer: place}


def test_all_at_once() -> None:
    assert positions(STATE, [case[0] for case in CASES]) == {case[0]: case[1] for case in CASES}


@each_row(
    ("data", "pointer", "place"),
    [
        (b"", "/a", (1, 1)),
        (b" \n ", "/a", (2, 2)),
        (b'{"a": [1, {"b": 2', "/a/1/b", (1, 12)),
        (b'{"a": [1, {"b": ', "/a/1/b", (1, 12)),
        (b'{"a": [1, {"b"', "/a/1/b", (1, 12)),
        (b'{"a": [1, {"b', "/a/1/b", (1, 11)),
        (b'{"a": 1, "b', "/a", (1, 2)),
        (b'{"a": 1 "b": 2}', "/b", (1, 9)),
        (b'{"a": 1]', "/b", (1, 1)),
        (b"\xff\xfe{", "/a", (1, 1)),
        (b'{"a": "\xff\xff", "b": 1}', "/b", (1, 13)),
        (b'{"\xff": 1, "b": {"c": 2}}', "/b/c", (1, 16)),
        (b'{"a\xff": 1}', "/a\ufffd", (1, 2)),
        (b'{"a": "\\ud800", "b": 1}', "/b", (1, 17)),
        (b'{"\\ud800": 1}', "/\ufffd", (1, 2)),
        (b'\r\n{\r\n"a": 1}', "/a", (3, 1)),
        (b"[" * 5000, "/0" * 5000, (1, 201)),
        (b"[" * 5000 + b"]" * 5000, "/0" * 5000, (1, 201)),
        (b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b', "b": 1}', "/b", (1, 10009)),
    ],
)
def test_texts_that_are_not_quite_json(data: bytes, pointer: str, place: tuple[int, int]) -> None:
    assert positions(data, [pointer]) == {pointer: place}


def test_pointers_that_are_none() -> None:
    assert positions(STATE, ["version", "/outputs/c~d"]) == {"version": (1, 1), "/outputs/c~d": (3, 36)}


def test_nothing_wanted() -> None:
    assert positions(STATE, []) == {}


# Arrays and objects as text with white space anywhere, so that each has its own layout; names repeat on purpose.
_NAMES = st.sampled_from(
    ['"a"', '"A"', '"b"', '"0"', '""', '"\\u0061"', '"a/b"', '"~"', '"é"', '"😀x"', '"{\\""', '"\\ud800"']
)
_SCALARS = st.sampled_from(
    [
        "1",
        "-1.5e3",
        "true",
        "null",
        '"x"',
        '"]}"',
        '"a\\"b\\\\"',
        '"é"',
        '"\\ud83d\\ude00"',
        '"\\udc00"',
        f'"{"long" * 70}"',
    ]
)
_SPACE = st.sampled_from(["", "", " ", "\n", "\r\n", "\t", "\n  "])


def _array(items: list[str], space: str) -> str:
    return f"[{space}{f'{space},{space}'.join(items)}{space}]"


def _object(members: list[tuple[str, str]], space: str) -> str:
    return f"{{{space}{f',{space}'.join(f'{name}{space}:{space}{value}' for name, value in members)}{space}}}"


TEXTS = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.builds(_array, st.lists(inner, max_size=4), _SPACE),
        st.builds(_object, st.lists(st.tuples(_NAMES, inner), max_size=4), _SPACE),
    ),
    max_leaves=25,
)


class Finder:
    """Finds all places of a text slowly: character by character, keeping every part and deciding at the end."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        # Each step is a name with the number of the member, so that members that repeat stay apart.
        self.found: list[tuple[tuple[tuple[str, int], ...], int]] = []
        self._space()
        self.found.append(((), self.at))
        self._value(())

    def places(self) -> dict[str, Position]:
        """The place of each pointer. Only exact names are looked for."""
        last = {}
        for path, at in self.found:
            last["".join(f"/{token(name)}" for name, _ in path)] = (path, at)
        # What is in a member that is repeated later does not count.
        counted = [(pointer, path, at) for pointer, (path, at) in last.items()]
        ends = {path for _, path, _ in counted}
        return {
            pointer: self._position(at)
            for pointer, path, at in counted
            if all(path[:length] in ends for length in range(len(path)))
        }

    def _position(self, at: int) -> Position:
        before = self.text[:at].split("\n")
        return Position(len(before), len(before[-1]) + 1)

    def _space(self) -> None:
        while self.text[self.at : self.at + 1] in (" ", "\n", "\r", "\t"):
            self.at += 1

    def _string(self) -> str:
        start = self.at
        self.at += 1
        while self.text[self.at] != '"':
            self.at += 2 if self.text[self.at] == "\\" else 1
        self.at += 1
        name: str = json.loads(self.text[start : self.at])
        return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in name)

    def _value(self, path: tuple[tuple[str, int], ...]) -> None:
        first = self.text[self.at]
        if first == '"':
            self._string()
        elif first in "[{":
            self.at += 1
            self._items(path, first)
        else:
            while self.text[self.at : self.at + 1] not in ("", ",", "]", "}", " ", "\n", "\r", "\t"):
                self.at += 1

    def _items(self, path: tuple[tuple[str, int], ...], opening: str) -> None:
        number = 0
        self._space()
        while self.text[self.at] not in "]}":
            at, name = self.at, str(number)
            if opening == "{":
                name = self._string()
                self._space()
                self.at += 1
                self._space()
            step = (*path, (name, number))
            self.found.append((step, at))
            number += 1
            self._value(step)
            self._space()
            if self.text[self.at] == ",":
                self.at += 1
                self._space()
        self.at += 1


@given(TEXTS, _SPACE)
def test_every_pointer_of_random_texts(text: str, space: str) -> None:
    text = space + text + space
    places = Finder(text).places()
    assert positions(text.encode(), places) == places
    for pointer, place in places.items():
        assert positions(text.encode(), [pointer]) == {pointer: place}


@given(TEXTS, st.lists(st.sampled_from(["a", "B", "0", "1", "", "~1", "x"]), max_size=4))
def test_pointers_that_lead_nowhere_point_at_the_nearest_part(text: str, names: list[str]) -> None:
    places = Finder(text).places()
    wanted = "".join(f"/{name}" for name in names)
    # A name in another letter case is near, too, and leads elsewhere.
    assume(not any(pointer.lower() == wanted[: len(pointer)].lower() and pointer not in wanted for pointer in places))
    while wanted not in places:
        wanted = wanted.rpartition("/")[0]
    whole = "".join(f"/{name}" for name in names)
    assert positions(text.encode(), [whole]) == {whole: places[wanted]}


@given(
    st.binary(max_size=40) | st.text('[]{}:," \\1a\n', max_size=40).map(str.encode),
    st.sampled_from(["", "/0", "/a/0", "/a"]),
)
def test_any_bytes_have_a_place(data: bytes, pointer: str) -> None:
    place = positions(data, [pointer])[pointer]
    assert 1 <= place.line <= data.count(b"\n") + 1
    assert 1 <= place.column <= len(data) + 1


@given(TEXTS, st.sampled_from(["", ",", "]", " }", "\n,1"]))
def test_values_end_where_they_end(text: str, rest: str) -> None:
    """With msgspec, which is fast, and without it."""
    data = (text + rest).encode()
    end = len(text.encode())
    assert value_at(data) == (0, end)
    if data[:1] in (b"[", b"{"):
        assert spans._closing_bracket(data, 0) == end


def test_msgspec_is_what_skips_long_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its message is understood: otherwise all of this works as well, but ten times as slow."""
    monkeypatch.setattr(spans, "_closing_bracket", None)
    text = json.dumps({"a": [{"b": "x" * 1000, "c": {}}] * 3, "d": 1}).encode()
    for space, rest in product((b"", b"  "), (b",", b"]", b"}", b"x", b"")):
        assert value_at(text + space + rest) == (0, len(text))
    assert [item.name for item in container_at(text).items] == ["a", "d"]


def _finding(code: str, pointer: str = "") -> Finding:
    return Finding(code, Severity.ERROR, "summary", pointer=pointer)


def _cases_of_findings() -> Iterator[tuple[str, bytes, list[Finding], dict[str, tuple[int, int]]]]:
    no_state, not_utf8 = _finding(Code.NOT_A_STATE), _finding(Code.NOT_UTF8)
    other = _finding(Code.NOT_CANONICAL)
    bad_byte = b'{\n "\xc3\xa9": "\xff"}'
    yield "not JSON", b'{\n  "a": 1,\n  "b": tru\n}', [no_state], {"": (3, 9)}
    yield "not JSON, after wide characters", '{"é😀": 1,\n"é😀": x}'.encode(), [no_state], {"": (2, 7)}
    yield "ends too early", b'{\n  "a": [1,\n', [no_state], {"": (3, 1)}
    yield "empty", b"", [no_state], {"": (1, 1)}
    yield "JSON, but no state", b'\n{"a": 1}', [no_state], {"": (2, 1)}
    yield "JSON, but no object", b"\n[]", [no_state], {"": (2, 1)}
    yield "JSON that msgspec does not follow", b'\n{"\\ud800": 1}', [no_state], {"": (2, 1)}
    yield "not UTF-8", bad_byte, [not_utf8], {"": (2, 8)}
    yield "not UTF-8, and something about the whole file", bad_byte, [not_utf8, other], {"": (1, 1)}
    yield "pointers", STATE, [other, _finding("STA004", "/serial")], {"": (1, 1), "/serial": (11, 3)}
    yield "nothing", STATE, [], {}


@pytest.mark.parametrize(("shows", "data", "findings", "places"), list(_cases_of_findings()))
def test_places_of_findings(
    shows: str, data: bytes, findings: list[Finding], places: dict[str, tuple[int, int]]
) -> None:
    assert finding_positions(data, findings) == places
